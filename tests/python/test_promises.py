"""Which test holds which promise of an honest benchmark: the list is whole, and every test it names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

PROMISES: dict[str, tuple[str, ...]] = {
    "a quantile is printed only with ten samples beyond it": (
        "test_quantiles::test_a_quantile_needs_ten_samples_beyond_it",
        "test_table::test_what_the_data_do_not_carry_is_not_shown",
    ),
    "quantiles have intervals that assume no distribution": (
        "test_quantiles::test_the_interval_covers_in_93_to_97_of_100_of_2000_runs",
    ),
    "response times count from the due time": (
        "load/generator_test::a_server_that_stops_for_two_seconds_is_seen_by_all_who_were_due",
    ),
    "a generator that is late refuses the run": (
        "test_sweep_design::test_a_generator_that_is_stopped_again_and_again_is_client_limited",
        "test_audited_runs::test_a_slow_generator_is_refused",
        "test_audit_generator::test_requests_that_were_never_sent",
    ),
    "every request is accounted for": (
        "load/generator_oracle_test::twenty_thousand_random_plans_balance",
        "load/generator_oracle_test::sees_an_answer_that_was_lost_on_the_way",
    ),
    "a closed load says so and shows no rate as given": (
        "test_table::test_closed_titles_say_closed_users_and_think_time_and_no_rate",
        "test_plots::test_titles_of_closed_charts_say_closed_users_and_think_time_and_no_rate",
    ),
    "Little's law holds within 5 %": (
        "test_table_audit::test_the_gateway_article",
        "test_audit::test_littles_law_for_a_closed_system_with_think_time",
    ),
    "no throughput lies above what is possible": (
        "test_audited_runs::test_answers_booked_twice_in_every_book_are_caught",
        "test_bounds::test_answers_booked_twice_are_above_the_bound_of_the_cpus",
    ),
    "without a steady state there is no mean": (
        "test_steady::test_at_least_95_of_100_made_series_are_classed_right",
        "test_table::test_a_run_without_steady_state_has_no_mean",
    ),
    "names are compared interleaved, in random order, from five pairs": (
        "test_plan::test_each_repeat_holds_every_cell_once_in_an_order_of_its_own",
        "test_comparability::test_sweeps_of_different_sessions_are_refused_unless_asked",
        "test_comparison::test_no_word_below_five_repeats",
    ),
    "the same twice gives no difference": (
        "test_stats::test_equal_names_get_no_word_in_95_of_100_sweeps",
        "test_bench_alike::test_too_many_false_words_miss_the_goal_and_few_meet_it",
    ),
    "the power that is told is the power there is": (
        "test_stats::test_the_power_is_how_often_the_word_is_said",
        "test_bench_alike::test_the_planted_slowdowns_are_exact",
    ),
    "the detectable difference stands beside a comparison": (
        "test_stats::test_the_detectable_difference_is_that_of_its_formula",
        "test_pairs::test_a_clear_difference_has_every_figure",
    ),
    "faster and slower are said beyond the margin only": (
        "test_stats::test_words_need_an_interval_beyond_two_percent",
        "test_comparison::test_no_word_within_the_margin_however_sure",
    ),
    "what disturbs a run is heard": (
        "test_noise::test_a_real_hog_is_seen_and_a_child_of_ours_is_not",
        "test_noise::test_steal_alone_makes_a_run_noisy",
    ),
    "the generator must have had room": (
        "test_audit_generator::test_the_generator_must_have_been_able_to_send_twice_as_much",
        "test_audit_generator::test_a_busy_generator_fails_except_for_noop_on_direct",
    ),
    "answers are compared with what was expected": (
        "test_audited_runs::test_a_server_that_always_says_the_same_is_caught",
    ),
    "the database counts as many queries and rows": (
        "test_audited_runs::test_a_server_with_a_hidden_cache_is_caught",
        "test_audit::test_rows_within_one_percent",
    ),
    "errors do not win": (
        "test_comparison::test_fast_refusals_do_not_win",
        "test_pairs::test_quick_failures_do_not_win",
        "test_audit::test_failures_and_successes_have_times_of_their_own",
    ),
    "timeouts are at least as long as the timeout": (
        "test_quantiles::test_three_percent_of_timeouts_make_the_p99_at_least_the_timeout_and_leave_the_p90",
        "test_audited_runs::test_timeouts_are_told_as_what_they_are",
        "test_table::test_a_quantile_among_timeouts_is_at_least_the_timeout",
    ),
    "values out of range are counted": (
        "measure/latency_histogram_test::values_out_of_range_are_counted_and_the_run_goes_on",
        "test_audit::test_times_out_of_range_and_times_that_are_missing",
    ),
    "everything is disclosed": (
        "test_disclosure::test_each_field_that_is_missing_is_named",
        "test_sweeping::test_a_core_that_was_not_built_for_measuring_is_refused",
    ),
    "limits are equal or said not to be": (
        "test_equality::test_connections_that_nobody_asked_for",
        "test_table::test_limits_that_differ_although_nobody_asked_are_red_too",
    ),
    "where processes ran is said": (
        "test_sweep_design::test_every_report_says_where_processes_ran_and_what_loopback_leaves_out",
    ),
    "the set-up is random": (
        "test_sweep_design::test_the_size_of_the_environment_does_not_decide_the_result",
        "test_plan::test_each_run_has_a_padding_of_its_own_from_the_seed",
    ),
    "replicates are processes": (
        "test_stats::test_intervals_are_across_processes_because_those_across_requests_are_too_narrow",
    ),
    "a scaling law needs six loads": (
        "test_scaling::test_five_loads_are_refused_and_six_are_not",
        "test_scaling::test_no_curve_beyond_one_and_a_half_times_the_data",
    ),
    "a history shows where it changed": (
        "test_change_points::test_a_step_of_five_percent_is_found_within_three_runs",
        "test_change_points::test_runs_that_stay_as_they_are_raise_at_most_one_alarm_in_a_thousand",
        "test_histories::test_a_step_is_named_with_its_date_both_levels_and_its_size",
    ),
    "the clock is known": (
        "test_audit::test_times_too_short_for_the_clock_and_a_clock_that_runs_backwards",
        "test_costs::test_the_real_core_tells_all_but_the_ceiling",
    ),
    "raw data are kept, and all can be made from them again": (
        "test_rebuild::test_the_object_that_was_printed",
        "test_rebuild::test_table_sentences_frames_and_charts_are_those_of_the_sweep_itself",
    ),
    "when to stop is fixed before": (
        "test_stopping::test_no_argument_of_a_sweep_looks_at_significance",
        "test_stopping::test_where_the_interval_lies_does_not_matter",
        "test_stopping::test_the_summary_speaks_of_early_stops_and_missed_precision_only",
    ),
}
"""In the order in which the field's literature is usually told: measuring, comparing, watching, disclosing."""


def exists(test: str) -> bool:
    """Whether the file of tests has a test of that name; a C++ one is named by its file below `cpp`."""
    file, _, name = test.partition("::")
    if "/" in file:
        source = (TESTS / "cpp" / f"{file}.cpp").read_text(encoding="utf-8")
        return re.search(rf"^TEST(_[FP])?\(\w+, {name}\)", source, re.MULTILINE) is not None
    source = (TESTS / "python" / f"{file}.py").read_text(encoding="utf-8")
    return re.search(rf"^def {name}\(", source, re.MULTILINE) is not None


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_has_its_tests(promise: str) -> None:
    assert PROMISES[promise]
    assert [test for test in PROMISES[promise] if not exists(test)] == []


def test_none_of_the_thirty_one_is_missing() -> None:
    assert len(PROMISES) == 31
    assert not exists("test_stats::test_that_is_not_there")
    assert not exists("load/generator_test::that_is_not_there")
