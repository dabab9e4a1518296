"""Before anything imports the package: signals, and checked shapes."""

import os
import signal
import threading
from contextlib import suppress

import psutil

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's `&` turns Ctrl-C off, for the suite and for all it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)

from hypothesis import HealthCheck, settings
from jaxtyping import install_import_hook

install_import_hook("preact.reference", "beartype.beartype")

# What is drawn is the same everywhere, and a slow machine is no failure.
settings.register_profile(
    "same everywhere",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("same everywhere")


def pytest_configure(config):
    """Exit on SIGTERM at once, or code under test swallows it.

    A command would answer it as its own. What tests started ends, too.
    """

    def leave(number, _frame):
        with suppress(Exception):  # amid a print; workers have no terminal
            manager = config.pluginmanager
            manager.get_plugin("capturemanager").suspend_global_capture()
            terminal = config.get_terminal_writer()
            terminal.line("\npytest: stopped by SIGTERM")
            terminal.flush()
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                process.terminate()
        os._exit(128 + number)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, leave)
