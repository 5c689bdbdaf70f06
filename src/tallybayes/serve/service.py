"""The state that the API, the page and the spamd protocol share: models by name, tokens, and threads."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from typing import Any, TypeVar

from tallybayes.serve.metrics import Metrics
from tallybayes.serve.models import ServedModel
from tallybayes.serve.problems import Problem, asking
from tallybayes.serve.room import Room
from tallybayes.serve.settings import Settings
from tallybayes.serve.threads import Threads
from tallybayes.serve.tokens import Tokens, known_tokens
from tallybayes.store import Change, Store

T = TypeVar("T")

AGAIN = "The change may still be made: send it again, with the same id."  # after a timeout


class Service:
    """Some stores, each a model under its name."""

    def __init__(self, stores: Mapping[str, Store], settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.limits = self.settings.limits
        self.models = {name: ServedModel(name, store, self.limits) for name, store in stores.items()}
        known = {name: known_tokens(store) for name, store in stores.items()}
        self.tokens = Tokens(known, self.settings.tokens, self.limits)
        self.metrics = Metrics(self.models)
        self.room = Room(self.limits.room)
        self.downloads = asyncio.Semaphore(self.limits.downloads)
        self._done: deque[asyncio.Future[None]] = deque()  # those whose results are there
        self._waking = False  # whether the loop is about to be told
        self.ready = False
        self.failed: Exception | None = None  # why it could not start
        self._askers = Threads(self.settings.askers, "tallybayes-ask", self.limits.waiting)
        self._lookers = Threads(self.settings.lookers, "tallybayes-look", self.limits.waiting)
        self._learners = Threads(self.settings.learners, "tallybayes-learn", self.limits.waiting)

    def model(self, name: str) -> ServedModel:
        """The model with this name; a problem if there is none."""
        if name not in self.models:
            there = "" if self.tokens.required else f"; there are {', '.join(map(repr, self.models))}"
            raise Problem(404, f"There is no model {name!r}{there}.")
        return self.models[name]

    async def ask(self, work: Callable[..., T], *args: Any) -> T:
        """Answers a slow question, in a thread."""
        return await self._in(self._askers, "Send fewer rows at once.", work, *args)

    async def look(self, work: Callable[..., T], *args: Any) -> T:
        """Answers a question that needs the writer, in a thread that waits for it."""
        return await self._in(self._lookers, "Ask again later.", work, *args)

    async def change(self, work: Callable[..., T], *args: Any) -> T:
        """Makes a change, in a thread that waits until it is on disk."""
        return await self._in(self._learners, AGAIN, work, *args)

    async def written(self, change: Future[Change]) -> Change:
        """Waits until a submitted change is on disk."""
        found: Change = await self._result(change, AGAIN)
        return found

    async def _in(self, threads: Threads, advice: str, work: Callable[..., T], *args: Any) -> T:
        job = threads.start(partial(work, *args))
        try:
            result: T = await self._result(job.done, advice)
        finally:
            job.drop()
        return result

    async def _result(self, done: Future[Any], advice: str) -> Any:
        """Waits for a thread, in time."""
        loop = asyncio.get_running_loop()
        there = loop.create_future()
        done.add_done_callback(partial(self._tell, loop, there))
        late = loop.call_later(self.limits.seconds, _settle, there)
        try:
            await there
        finally:
            late.cancel()
        if not done.done():
            sentence = f"This was not done within {self.limits.seconds:g} seconds. {advice}"
            raise Problem(503, sentence, {"retry-after": str(round(self.limits.seconds))})
        with asking:
            return done.result()

    def _tell(self, loop: asyncio.AbstractEventLoop, there: asyncio.Future[None], _: object) -> None:
        """Wakes the loop once for all changes of a commit: each wake-up would cost more than an answer."""
        self._done.append(there)
        if not self._waking:
            self._waking = True
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._waking = False  # first, so that whatever comes from now on wakes the loop again
        while self._done:
            _settle(self._done.popleft())

    async def warm_up(self) -> None:
        """Computes the beliefs, so that the first question need not wait."""
        for model in self.models.values():
            with suppress(ValueError, TypeError):  # nothing is learned yet; the first question gets the error
                await asyncio.wrap_future(self._askers.start(model.current).done)
        self.ready = True

    def close(self) -> None:
        """Stops the threads. The stores are closed by their opener."""
        self.ready = False
        for threads in (self._askers, self._lookers, self._learners):
            threads.close()


Beside = Callable[[Service], AbstractAsyncContextManager[Any]]  # what runs as long as an application does


def _settle(waited_for: asyncio.Future[None]) -> None:
    if not waited_for.done():
        waited_for.set_result(None)
