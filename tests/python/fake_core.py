"""A stand-in for the compiled core with the same interface, so that the process protocol is tested with real processes.

Scenarios steer it through `plant`: {"act": NAME, ...}. Without one a run lasts `duration_s` and reports what it was
given. It is loaded by path, as the compiled module is.
"""

import os
import select
import signal
import socket
import sys
import time
from typing import Any


def note_pid(plant: Any, role: str) -> None:
    """Acts of one of the processes: `role` is run, server or downstream; the act `pid` is of all."""
    if plant.get("act") == "pid":
        with open(plant["file"], "a") as file:
            file.write(f"{os.getpid()}\n")
    if "pids" in plant:
        with open(plant["pids"], "a") as file:
            file.write(f"{role} {os.getpid()}\n")


class Server:
    """Answers every connection with its scenario's port; over when its control socket ends."""

    role = "server"

    def __init__(self, scenario: Any, control_fd: Any, listen: Any) -> None:
        self.scenario, self.control_fd, self.listen = scenario, control_fd, listen
        act = scenario["plant"].get(self.role)
        if act == "refuse":
            raise RuntimeError(f"{self.role} cannot reach {scenario['dsn']}")
        if act == "crash":
            sys.stderr.write("bad luck\n")
            sys.stderr.flush()
            os.kill(os.getpid(), signal.SIGSEGV)
        self.socket = socket.create_server((listen.get("host", "127.0.0.1"), listen.get("port", 0)))
        self.port = self.socket.getsockname()[1]
        self.stopped = False
        note_pid(scenario["plant"], self.role)
        if act == "hang":
            time.sleep(1000)

    def wait(self, timeout_s: Any) -> Any:
        if self.scenario["plant"].get(self.role) == "stubborn":
            time.sleep(timeout_s)
            return False
        if self.control_fd is not None:
            return bool(select.select([self.control_fd], [], [], timeout_s)[0])
        time.sleep(0 if self.stopped else timeout_s)
        return self.stopped

    def stop(self) -> None:
        self.stopped = True


class Downstream(Server):
    role = "downstream"


class Run:
    def __init__(self, scenario: Any) -> None:
        self.scenario = dict(scenario)
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
        note_pid(scenario["plant"], "run")
        for role in ("server", "downstream"):
            if scenario[f"{role}_fd"] is not None:
                socket.create_connection(("127.0.0.1", scenario[f"{role}_port"])).close()

    def wait(self, timeout_s: Any) -> Any:
        over = self.is_over(timeout_s)
        for role in ("server", "downstream") if over else ():
            if self.scenario[f"{role}_fd"] is not None:
                os.close(self.scenario[f"{role}_fd"])
                self.scenario[f"{role}_fd"] = None
        return over

    def is_over(self, timeout_s: Any) -> Any:
        stubborn = self.act in ("hang", "stubborn")
        if self.cancelled and not stubborn:
            return True
        left = self.begun + self.scenario["duration_s"] - time.monotonic()
        time.sleep(max(0.0, timeout_s if stubborn else min(timeout_s, left)))
        return not stubborn and time.monotonic() >= self.begun + self.scenario["duration_s"]

    def cancel(self) -> Any:
        self.cancelled = True
        note_pid(self.scenario["plant"] | {"act": None}, "cancelled")
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
        if self.act == "scatter":
            report["response_mean_ms"] = report["phases_ms"]["cpu"] = (
                users * (1 + self.scenario["seed"] % 7) / (1 + len(self.scenario["model"]) * self.scenario["seed"] % 5)
            )
        report["cpu"] = {"server_s": 0.02, "generator_s": 0.01, "downstream_s": None}
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
