"""A stand-in for the compiled core with the same interface, so that the process protocol is tested with real processes.

Scenarios steer it through `plant`: {"act": NAME, ...}. Without one a run lasts `duration_s` and reports what it was
given. It is loaded by path, as the compiled module is.
"""

import os
import signal
import sys
import time
from typing import Any


class Run:
    def __init__(self, scenario: Any) -> None:
        self.scenario = scenario
        self.act = scenario["plant"].get("act")
        self.begun = time.monotonic()
        self.cancelled = False
        if self.act == "refuse":
            raise RuntimeError(f"cannot reach {scenario['dsn']}")
        if self.act == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.act == "crash_once" and not os.path.exists(scenario["plant"]["mark"]):
            open(scenario["plant"]["mark"], "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        if self.act == "exit":
            sys.stderr.write("first line\nassertion failed: x > 0\n")
            os._exit(7)
        if self.act == "chatter":
            sys.stdout.write("a library prints this\n")
            sys.stdout.flush()
        if self.act == "pid":
            with open(scenario["plant"]["file"], "a") as file:
                file.write(f"{os.getpid()}\n")

    def wait(self, timeout_s: Any) -> Any:
        stubborn = self.act in ("hang", "stubborn")
        if self.cancelled and not stubborn:
            return True
        left = self.begun + self.scenario["duration_s"] - time.monotonic()
        time.sleep(max(0.0, timeout_s if stubborn else min(timeout_s, left)))
        return not stubborn and time.monotonic() >= self.begun + self.scenario["duration_s"]

    def cancel(self) -> Any:
        self.cancelled = True
        if self.act == "deaf":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                time.sleep(1)

    def progress(self) -> Any:
        return {"phase": "measure", "elapsed_s": time.monotonic() - self.begun, "ok": 0, "failed": 0, "in_flight": 0}

    def report(self) -> Any:
        if self.act == "nan":
            return {"duration_s": float("nan")}
        users = self.scenario["concurrency"]
        report: dict[str, Any] = dict.fromkeys(FIGURES, 1.0)
        report.update(duration_s=self.scenario["duration_s"], throughput_rps=1000.0, response_mean_ms=float(users))
        ledger = dict.fromkeys(("unsent", "rejected", "failed", "timed_out", "in_flight_at_end"), 0)
        report.update(ledger={"scheduled": 100, "ok": 100, **ledger}, failures={})
        report["phases_ms"] = {**dict.fromkeys(PHASES, 0.0), "cpu": float(users)}
        report["details"] = {"modules": sorted(sys.modules), "environment": sorted(os.environ), "argv": sys.argv}
        report["details"].update(group=os.getpgid(0), scenario=self.scenario)
        if self.act == "late":
            report["details"]["lateness_p99_ms"] = 1.01  # the limit is 1 ms where the p99 is as short as here
        report["timeline"] = [{"t_s": 0.1, "in_flight": users}]
        report["status"] = "incomplete" if self.cancelled else "ok"
        return report


FIGURES = (
    "offered_rps response_p50_ms response_p90_ms response_p99_ms response_max_ms from_send_mean_ms from_send_p99_ms "
    "threads_peak threads_mean threads_blocked_mean threads_blocked_max threads_on_io_mean threads_on_connection_mean "
    "threads_on_app_wait_mean threads_pinned_mean threads_on_cpu_mean threads_idle_mean requests_waiting_mean "
    "rss_baseline_mib rss_peak_mib cpu_s context_switches"
).split()
PHASES = (
    "client_wait lateness network queue connection database downstream app_wait wakeup cpu reply unexplained".split()
)


def build_info() -> Any:
    return {"compiler": "none", "sanitizer": ""}


def clock_cost_ns() -> Any:
    return 25.0


def wake_up_cost_us() -> Any:
    return {"same_core": 2.0, "cross_core": 20.0}
