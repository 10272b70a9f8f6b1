"""The command line: `parkbench run`, `serve`, `doctor`, `glossary`. One file per command; this ties them together."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import typer

COMMANDS = ("run", "compare", "history", "advise", "serve", "doctor", "glossary")
LATER = ("load", "capacity", "reproduce", "report", "dashboard")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and ends the program with its exit code: 0, 1, 2, 130 or 143."""
    code = call(list(sys.argv[1:] if arguments is None else arguments))
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader had enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def call(arguments: list[str]) -> int:
    """The exit code of a command line; what is wrong stands on standard error, in one line."""
    from parkbench import signals, validate
    from parkbench.errors import ConfigError, ParkbenchError

    try:
        if arguments and arguments[0] in LATER:
            raise ConfigError(
                f"the command {arguments[0]} is not in this release; the commands are {validate.listed(COMMANDS)}"
            )
        with validate.spelled_for_cli(), signals.terminating():
            return int(application()(args=arguments, prog_name="parkbench", standalone_mode=False) or 0)
    except ConfigError as error:
        return complain(str(error), 2)
    except ParkbenchError as error:
        return complain(str(error), 1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt as error:
        return complain("interrupted", getattr(error, "exit_code", 130))
    except Exception as error:
        # Wrong use, as typer (or the click in it) reports it; everything else is a fault of ours and shows its place.
        if not hasattr(error, "format_message"):
            raise
        return complain(_wrong_use(error), 2)


def application() -> Any:
    """The typer application with its sub-commands."""
    from parkbench.cli import advise, compare, doctor, glossary, history, run, serve

    app = typer.Typer(
        name="parkbench",
        help="Thread pool, virtual threads and reactive, side by side on the same workload: measured and explained.",
        no_args_is_help=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="First run: parkbench run pricing --concurrency 50,400 --duration 0.5 --out results",
    )

    @app.callback(invoke_without_command=True)
    def root(
        context: typer.Context, version: bool = typer.Option(False, "--version", help="Show the version.")
    ) -> None:
        if version:
            from parkbench._version import __version__

            print(f"parkbench {__version__}")
        elif context.invoked_subcommand is None:
            print(context.get_help())

    app.command("run")(run.run)
    app.command("compare")(compare.compare)
    app.command("history")(history.history)
    app.command("advise")(advise.advise)
    app.command("serve")(serve.serve)
    app.command("doctor")(doctor.doctor)
    app.command("glossary")(glossary.glossary)
    return app


def complain(sentence: str, code: int) -> int:
    """Says what is wrong on standard error, in one line; returns the exit code."""
    text = " ".join(sentence.split()).encode("utf-8", "replace").decode("utf-8")
    print(f"parkbench: {text}", file=sys.stderr)
    return code


def _wrong_use(error: Any) -> str:
    """One sentence for what typer does not understand, with the known words."""
    from parkbench import validate

    text = str(error.format_message()).rstrip(".")
    option = getattr(error, "option_name", None)
    context = getattr(error, "ctx", None)
    if "o such option" in text and option and context is not None:
        known = sorted({word for parameter in context.command.params for word in parameter.opts if word[:2] == "--"})
        close = validate.did_you_mean(str(option).lstrip("-"), [word[2:].replace("-", "_") for word in known])
        close = re.sub(r"mean (\w+)", lambda found: "mean --" + found.group(1).replace("_", "-"), close)
        return f"unknown option {option}{close or ';'} the options are {validate.listed(known)}"
    if "o such command" in text:
        word = text.split("'")[1] if "'" in text else text
        hint = validate.did_you_mean(word, COMMANDS)
        return f"unknown command {word}{hint or ';'} the commands are {validate.listed(COMMANDS)}"
    if "issing argument" in text and context is not None and context.command.name == "run":
        from parkbench.scenario import WORKLOADS

        return f"run needs a workload: {validate.listed(WORKLOADS)}, as in `parkbench run pricing`"
    if "issing argument" in text and context is not None and context.command.name == "advise":
        return "advise needs the directory of a sweep, as in `parkbench advise results`"
    if "issing argument" in text and context is not None and context.command.name == "serve":
        return "serve needs a model and a workload, as in `parkbench serve reactive pricing`"
    return text[:1].lower() + text[1:]
