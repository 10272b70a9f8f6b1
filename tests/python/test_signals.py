import os
import select
import signal
import threading
from typing import Any

import pytest

from parkbench import signals


def test_the_first_signal_asks_and_the_second_ends() -> None:
    with pytest.raises(signals.Interrupted) as caught, signals.listening() as stop:
        assert not stop
        os.kill(os.getpid(), signal.SIGINT)
        assert stop and stop.signal_number == signal.SIGINT
        assert select.select([stop.fd], [], [], 1.0)[0]
        os.kill(os.getpid(), signal.SIGINT)
    assert caught.value.exit_code == 130
    assert isinstance(caught.value, KeyboardInterrupt)


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with signals.terminating(), signals.listening():
        assert signal.getsignal(signal.SIGINT) is not before[0]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_a_library_leaves_sigterm_to_its_caller() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with signals.listening():
        assert signal.getsignal(signal.SIGTERM) is before


def test_a_program_takes_sigterm_with_exit_code_143() -> None:
    with signals.terminating():
        with signals.listening() as stop:
            os.kill(os.getpid(), signal.SIGTERM)
            assert stop.signal_number == signal.SIGTERM
        with pytest.raises(signals.Interrupted) as caught:
            os.kill(os.getpid(), signal.SIGTERM)
    assert caught.value.exit_code == 143


def test_an_ignored_sigint_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with signals.listening() as stop:
            os.kill(os.getpid(), signal.SIGINT)
            assert not stop
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_program_hears_sigint_also_where_a_shell_had_it_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with signals.terminating(), signals.listening() as stop:
            os.kill(os.getpid(), signal.SIGINT)
            assert stop.signal_number == signal.SIGINT
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_another_thread_nothing_is_installed() -> None:
    seen = []

    def work() -> Any:
        with signals.listening() as stop:
            seen.append((bool(stop), signal.getsignal(signal.SIGINT)))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [(False, before)]
