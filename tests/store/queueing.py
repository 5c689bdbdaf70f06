"""Waiting until another thread has handed a task to the writer of a store."""

import threading


def tasks_queued(store, monkeypatch):
    """A semaphore that is released for every task queued from now on."""
    queued, real = threading.Semaphore(0), store._writer.hand_over

    def hand_over(*given, **how):
        done = real(*given, **how)
        queued.release()
        return done

    monkeypatch.setattr(store._writer, "hand_over", hand_over)
    return queued
