"""The words of parkbench, each with one short definition: the same in code, Python, command line and charts."""

from __future__ import annotations

import difflib

from parkbench.errors import ConfigError

TERMS: dict[str, str] = {
    "model": "A way to execute requests: thread_pool, virtual_threads or reactive.",
    "thread_pool": "Fixed workers take requests from a bounded queue; a worker that waits is blocked.",
    "virtual_threads": "Each request has a thread of its own with its own stack, which parks when it "
    "waits and frees its carrier.",
    "reactive": "A few event loops run pipelines of Mono and Flux; nothing ever waits on a loop.",
    "worker": "A thread of the pool. It serves one request at a time.",
    "carrier": "An OS thread that runs virtual threads, one at a time, whichever can go on.",
    "loop": "An OS thread that reacts to events: a socket is readable, a timer is due, a request has come.",
    "park": "A virtual thread gives up its carrier until it is unparked.",
    "unpark": "Makes a parked virtual thread runnable again; an unpark before the park is not lost.",
    "pin": "To hold the carrier while waiting, as a blocking call on a virtual thread does.",
    "mono": "A publisher of at most one value, lazy until it is subscribed.",
    "flux": "A publisher of any number of values, as many as were asked for.",
    "demand": "How many items a subscriber has asked for, by request(n), and not yet got.",
    "backpressure": "Demand that reaches the source, so that it makes no more than can be taken.",
    "reject": "To refuse a request before any work on it has started.",
    "workload": "What a request does: pricing, sleep, noop, gateway, cpu, file, stream or mixed.",
    "pricing": "Two queries and a rule: read a product, read its discounts, compute the price.",
    "sleep": "A request that waits (300 ms unless set) and answers.",
    "noop": "A request that does nothing: what remains is the cost of handing it over.",
    "gateway": "A request that passes three filters (authentication, rate limit, routing), calls a downstream and "
    "passes the answer on.",
    "file": "A request that reads a file by a blocking call, which the kernel offers in no other way.",
    "stream": "A request that is answered by server-sent events, one after the other as the reader takes them.",
    "mixed": "Requests that wait 5 ms, of which 5 in 100 wait 500 ms instead.",
    "filter": "A step of the gateway before its call; filter_lock makes one hold a lock across it.",
    "downstream service": "What the gateway calls: a server in a process of its own (http), or only a timer (timer).",
    "aggregate": "A gateway request that calls the downstream several times and joins the answers.",
    "brown-out": "A downstream that is slow for a while: 50 ms become 5 s from a third to two thirds of the window.",
    "bulkhead": "At most so many requests at the downstream at once; one more is answered 503 without a call.",
    "circuit breaker": "Stops calling a downstream that has failed too often, and tries again after a while.",
    "scenario": "Workload, model, limits and load: every parameter of one run.",
    "run": "One scenario executed once, in a process of its own.",
    "repeat": "The same scenario executed again; intervals are computed over repeats, never over requests.",
    "sweep": "Models x load x repeats, one run at a time, in a recorded random order.",
    "name": "What tells a model from others in a sweep, so that one model can stand in it twice.",
    "arrivals": "When requests are due: closed[:think=S], rounds[:pause=S|every=S], constant:rate=R, poisson:rate=R.",
    "closed": "N users; each sends its next request when it has the answer to the last, plus the think time.",
    "rounds": "N requests at once, then a pause after the last answer (pause=S), or a new round every S (every=S).",
    "open": "Arrivals that come at their own rate, whether or not there were answers.",
    "constant": "Open arrivals at equal distances, R per second.",
    "poisson": "Open arrivals at random distances, R per second on average, as many independent users make them.",
    "think time": "What a user of a closed system waits between an answer and the next request.",
    "concurrency": "The number of users (closed), of requests in a round, or of connections at most (open); the x axis "
    "of a sweep.",
    "in flight": "Requests that are really under way: due and not yet answered.",
    "due time": "When a request should leave.",
    "send time": "When it did leave.",
    "response time": "From due time to the answer in the generator's hands.",
    "from-send time": "From send time to the answer; others call it service time.",
    "offered_rps": "Requests due per second of the window.",
    "throughput_rps": "Requests of the window that ended well, per second of the window.",
    "capacity": "The highest throughput.",
    "window": "The part of a run that counts, between warm-up and drain; its real length is duration_s.",
    "warm-up": "What runs before the window: half a second, and until each user has finished once.",
    "drain": "After the window: its requests are followed to their end, at most their timeout.",
    "transport": "How a request reaches the model: direct (in one process) or http (the whole path).",
    "http": "Each model is a server in a process of its own, the generator in another: what a decision rests on.",
    "direct": "Generator and model in one process: the model's own cost. No decision should rest on it.",
    "placement": "On which CPUs the processes run: none (any), or split: the server on the first half of the CPUs, "
    "generator and downstream on the other; the database is not placed.",
    "cores": "CPU seconds per second of the window: of the server + of the generator (+ of the downstream).",
    "ledger": "scheduled = unsent + ok + rejected + failed + timed_out + in_flight_at_end, always, in integers.",
    "scheduled": "Requests due in the window.",
    "unsent": "Due, but never sent.",
    "ok": "Answered in time, with the right answer.",
    "rejected": "Refused before any work had started.",
    "failed": "Answered with an error, or cancelled; failures counts them by cause.",
    "timed_out": "Not answered before the request's own timeout.",
    "in_flight_at_end": "Not answered when the drain was over.",
    "failures": "Requests that failed, counted by cause.",
    "phase": "A part of the response time that is measured on its own; all twelve add up to the mean.",
    "client_wait": "Phase: from due time until a user or connection is free to send; caused by the target.",
    "lateness": "Phase: from then to the send time; caused by the generator, the only reason for client_limited.",
    "network": "Phase, http only: what the client saw minus what the server saw: sockets, the kernel, waiting to be "
    "run on either side.",
    "queue": "Phase: from the request's arrival at the model to the first instruction of its handler.",
    "connection": "Phase: from asking a pool for a connection to having it.",
    "database": "Phase: from handing a query to the socket to its result being there.",
    "downstream": "Phase: from handing a call to the socket to its answer being there; or the timer in its place.",
    "app_wait": "Phase: the application waits by itself, in a sleep or for a lock.",
    "wakeup": "Phase: from a wait being over to the handler running again.",
    "cpu": "Phase: the handler's wall time between waits, preemption included.",
    "reply": "Phase: from the answer being ready to the generator having it (direct) or its last byte written (http).",
    "unexplained": "Phase: what no other phase has measured; at most 1 % of the mean.",
    "blocked": "A thread that waits for I/O, a connection or the application, or is pinned; an idle one is not.",
    "idle": "A thread of a model that has nothing to do.",
    "requests_waiting": "Requests that wait for something, with or without a thread; compares across models.",
    "bottleneck": "The resource that is used up and queued for: workers, carriers, loops, connections, database, cpu, "
    "downstream, lock, memory, generator, or none.",
    "connection_hold": "How long a request keeps its connection: statement, transaction, or request (until the reply).",
    "unequal by design": "Something was set for one model alone, so that the sweep does not compare models only.",
    "audit": "The checks of a run: ledger, phases, little, lateness, generator, database, samples, failures.",
    "Little's law": "In flight = throughput x mean response time; for closed arrivals users = throughput x (response + "
    "think time).",
    "too_short": "Status: fewer than 10 mean response times or 1,000 answers in the time allowed; not compared.",
    "client_limited": "Status: the generator could not send on time; not compared.",
    "incomplete": "Status: stopped before its end; not compared.",
    "invalid": "Status: the figures contradict themselves.",
    "leg": "A half of a sweep. Closed: users, which find the capacity. Open: poisson at 50, 80 and 95 % of the lowest "
    "capacity; words about latency come from it.",
    "load_share": "The open leg's rate as a share of the lowest capacity of the sweep: 0.5, 0.8 or 0.95.",
    "verdict": "What may be said of b: larger, smaller, same, unsure, too_few_repeats or not_compared.",
    "detectable": "The smallest relative difference that this spread and number of repeats find in 8 of 10 sweeps.",
    "p": "How likely a difference at least as large is if there is none; two-sided, None below 3 repeats.",
    "p_holm": "p counted over all comparisons of the sweep (Holm 1979); above 0.05 no words stand.",
    "difference_ms": "How much longer b takes than a in each phase, ms; adds up to the difference of the mean or p99.",
    "stopping rule": "When a sweep has enough repeats: fixed before the first run, never until it is significant.",
    "steady": "Whether a run's throughput settles: flat or warm-up; or not (slow-down, unstable): then it has no mean.",
    "slow-down": "A run whose throughput falls within the window; it has no mean.",
    "unstable": "A run whose throughput changes its level again and again; it has no mean.",
    "noisy": "A run with more than 1 % of CPU time stolen by the host, or more than 5 % used by other programs.",
    "steal": "CPU time that the host of a virtual machine gave to others.",
    "cause": "Why a run is held back, from measurements alone; certain where they leave no other, else a guess.",
    "few_workers": "Cause: all workers wait for something usual, and requests queue for a worker.",
    "few_connections": "Cause: all connections are in use although queries are quick.",
    "held_connections": "Cause: connections are held for longer than the database works, while the application waits.",
    "slow_query": "Cause: a query takes long; connections or workers are used up by it, or a response is mostly that.",
    "slow_downstream": "Cause: calls downstream take long, and what waits for them is used up or most of the response.",
    "few_downstream_connections": "Cause: requests wait for a connection to a downstream that is not slow.",
    "pinned_carriers": "Cause: carriers are held by a blocking call or lock, and virtual threads queue for them.",
    "stalled_loop": "Cause: an event loop is held by a blocking call, and everything else on it is late.",
    "lock": "Cause: requests stand in line for a lock of the application.",
    "memory": "Cause: requests find no memory, or pages come back from disk while programs wait for memory.",
    "noisy_neighbour": "Cause: programs that are no part of the run use the CPUs.",
    "accept_queue": "Cause: connections wait in the kernel, or are dropped, before the server accepts them.",
    "full_queue": "Cause: requests are refused because the queue in front of the workers is full.",
    "rate_limit": "Cause: a filter refuses requests above so many a second. Option: that number.",
    "admission_limit": "Cause: requests are refused because as many as the limit allows are inside.",
    "failing_downstream": "Cause: the downstream fails, or is spared after it has failed.",
    "own_wait": "Cause: the application waits by itself, and nothing that could be had more of is short.",
    "utilisation": "Places of a resource in use / its places, 0 to 1.",
    "saturation": "Requests that wait for a resource, mean.",
    "prediction": "What a small queueing model says if the bottleneck were doubled; checked where the sweep holds that "
    "point.",
    "scaling": "The universal scalability law fitted to 6 or more numbers of users: X = lambda N / (1 + sigma (N-1) + "
    "kappa N (N-1)).",
    "advice": "Which model to take, by measured figures with their runs, and by answers to what no figure tells.",
    "p99": "99 of 100 requests were at most this slow; shown from 1,000 requests on, so that ten lie beyond.",
    "interval": "Where the true ratio lies with 95 % confidence, from the repeats (paired, Student's t); none below 3.",
    "faster": "Said from 5 repeats on, when the whole interval lies beyond 2 % and p_holm is at most 0.05; slower too.",
}

_SPELLING = str.maketrans("_-\N{RIGHT SINGLE QUOTATION MARK}", "  '")


def lookup(term: str) -> str:
    """The definition of a word; case, `-`, `_` and a plural s do not matter.

    Raises ConfigError for an unknown word, with the nearest ones that are known.
    """
    keys = {_key(word): word for word in TERMS}
    wanted = _key(term)
    for candidate in (wanted, wanted.removesuffix("s")):
        if candidate in keys:
            return TERMS[keys[candidate]]
    near = [keys[key] for key in difflib.get_close_matches(wanted, keys, n=3, cutoff=0.6)]
    hint = f"did you mean {' or '.join(near)}?" if near else "without a term all of them are listed"
    raise ConfigError(f"no term {term!r}; {hint}")


def explain(term: str) -> str:
    """The word as it is spelt here, with its definition. Raises as `lookup` does."""
    text = lookup(term)
    return f"{next(word for word, known in TERMS.items() if known == text)}: {text}"


def overview() -> str:
    """All words, a line each."""
    return "\n".join(f"{word}: {text}" for word, text in TERMS.items())


def _key(word: str) -> str:
    return " ".join(word.lower().translate(_SPELLING).split())
