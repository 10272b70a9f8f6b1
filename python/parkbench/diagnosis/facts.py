"""What a run measured, in the shape in which causes are judged: times in ms, shares from 0 to 1, None where unknown.

Taken from measurements alone: phases, counters, failures, details, ledger, and the sizes of what the run had (workers,
connections, carriers, loops, limit). Never from an option that says how long something was made to take.
"""

from __future__ import annotations

from collections.abc import Mapping

from parkbench.record import PHASES, Record, detail, model_threads, number, option, phases

THREADS = {"thread_pool": "workers", "virtual_threads": "carriers", "reactive": "loops"}
_STATES = ("io", "connection", "app_wait", "cpu")


class Facts:
    """One run, read once. `spent` holds the mean phases; everything else is derived from the record when asked."""

    def __init__(self, run: Record) -> None:
        self.run = run
        self.spent: Mapping[str, float] = phases(run) or dict.fromkeys(PHASES, 0.0)
        self.response_ms = number(run, "response_mean_ms") or 0.0
        self.rate = number(run, "throughput_rps") or 0.0

    @property
    def model(self) -> str:
        """thread_pool, virtual_threads, reactive, or what a foreign service calls itself."""
        return str(self.run.get("model"))

    @property
    def is_gateway(self) -> bool:
        """Whether a `connection` of this run leads to a downstream and not to a database."""
        return self.run.get("workload") == "gateway"

    @property
    def over_http(self) -> bool:
        """Whether generator and server are processes of their own."""
        return self.run.get("transport") == "http"

    def share(self, *names: str) -> float:
        """These phases' share of the mean response time; 0 without a response time."""
        return sum(self.spent[name] for name in names) / self.response_ms if self.response_ms > 0 else 0.0

    def detail(self, key: str) -> float:
        """A figure of the run's details; 0 where it has none, for figures that count something bad."""
        return detail(self.run, key) or 0.0

    def noise(self, key: str) -> float | None:
        """A figure of the noise sensors; None where they did not look."""
        found = (self.run.get("details") or {}).get("noise")
        return number(found, key) if isinstance(found, Mapping) else None

    def size(self, key: str) -> float | None:
        """A size of the run: workers, connections, carriers, loops, limit, queue, downstream_connections."""
        found = option(self.run, key)
        return float(found) if isinstance(found, (int, float)) and not isinstance(found, bool) and found > 0 else None

    # The processors.

    @property
    def cpus(self) -> float:
        """CPUs that the run could use."""
        return detail(self.run, "cpus") or 1.0

    @property
    def host(self) -> float:
        """Share of all CPU time that was used, by whomever."""
        return self.detail("host_cpu_share")

    @property
    def own(self) -> float:
        """Share of all CPU time that the model's process used."""
        return self.detail("process_cpu_share")

    @property
    def harness(self) -> float:
        """Share of all CPU time that generator and downstream used."""
        window = number(self.run, "duration_s")
        downstream = number(self.run.get("cpu") or {}, "downstream_s") or 0.0
        return (self.detail("generator_cpu_share") + (downstream / window if window else 0.0)) / self.cpus

    @property
    def foreign(self) -> float | None:
        """Share of all CPU time that went to programs which are no part of the run, or was stolen by the host.

        Where no sensor looked it is what nobody here accounts for, but only for workloads without a database, whose
        processes are not counted here either.
        """
        stolen = self.noise("steal_share") or self.detail("host_steal_share")
        sensed = self.noise("foreign_cpu_share")
        if sensed is not None:
            return sensed + stolen
        if self.uses_database or detail(self.run, "host_cpu_share") is None:
            return stolen or None
        return max(0.0, self.host - self.own - self.harness) + stolen

    @property
    def run_queue_delay_ms(self) -> float | None:
        """How long threads of the server's process could have run and had no CPU, for each request answered well."""
        delay, ok = detail(self.run, "run_queue_delay_s"), number(self.run.get("ledger") or {}, "ok")
        return None if delay is None or not ok else 1000 * delay / ok

    @property
    def sensed(self) -> bool:
        """Whether a sensor looked for foreign programs."""
        return self.noise("foreign_cpu_share") is not None

    # The database and its pool.

    @property
    def uses_database(self) -> bool:
        """Whether requests of this run asked a database."""
        return self.run.get("workload") == "pricing" or self.spent["database"] > 0

    @property
    def in_use(self) -> float:
        """Connections of the database pool in use, mean."""
        return self.detail("connections_in_use_mean")

    @property
    def waiting(self) -> float:
        """Requests in line for a connection, mean."""
        return self.detail("connections_waiting_mean")

    @property
    def pool_size(self) -> float | None:
        """Connections of the pool. Nobody stands in line while one is free: with a line the use is the size, whatever
        the option says.
        """
        size = self.size("connections")
        if self.waiting >= 0.5 and (size is None or not 0.85 * size <= self.in_use <= 1.02 * size):
            return max(1.0, round(self.in_use))
        return size

    @property
    def hold_ms(self) -> float | None:
        """How long a request holds connections in all: by Little's law connections in use / throughput."""
        return 1000 * self.in_use / self.rate if self.rate and self.in_use else None

    @property
    def query_ms(self) -> float:
        """How long one query takes, waiting for its result included."""
        ok = number(self.run.get("ledger") or {}, "ok") or 0.0
        asked = detail(self.run, "database_queries_expected") or detail(self.run, "database_queries")
        return self.spent["database"] / max(1.0, round(asked / ok) if asked and ok else 2.0)

    # The model's threads.

    @property
    def threads_word(self) -> str | None:
        """workers, carriers or loops; None for a model that is not ours."""
        return THREADS.get(self.model)

    @property
    def threads(self) -> float:
        """The model's own threads, mean, as they were counted; else as many as it was given."""
        word = self.threads_word
        return model_threads(self.run) or (self.size(word) if word else None) or 0.0

    @property
    def busy(self) -> float | None:
        """Share of the model's threads that are not idle, mean; None where they were not counted."""
        idle = number(self.run, "threads_idle_mean")
        return 1 - idle / self.threads if idle is not None and self.threads else None

    def on(self, state: str) -> float:
        """Threads of the model in this state (io, connection, app_wait, cpu), mean."""
        return number(self.run, f"threads_on_{state}_mean") or 0.0

    @property
    def pinned(self) -> float:
        """Carriers or loops held by something that blocks, mean."""
        return number(self.run, "threads_pinned_mean") or 0.0

    @property
    def pinned_share(self) -> float:
        """The same as a share of all carriers or loops."""
        return self.pinned / self.threads if self.threads else 0.0

    @property
    def queued(self) -> float:
        """Requests that the model has accepted and not begun, mean."""
        return self.detail("queue_depth_mean")

    @property
    def busy_with(self) -> str:
        """What most of the busy threads are on: io, connection, app_wait, cpu or pinned."""
        counts = {state: self.on(state) for state in _STATES} | {"pinned": self.pinned}
        return max(counts, key=lambda state: counts[state])

    # What went wrong.

    @property
    def scheduled(self) -> float:
        """Requests due in the window."""
        return number(self.run.get("ledger") or {}, "scheduled") or 0.0

    def failed(self, *causes: str) -> float:
        """How many requests failed by one of these causes."""
        failures = self.run.get("failures") or {}
        return sum(number(failures, cause) or 0.0 for cause in causes)
