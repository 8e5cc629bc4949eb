"""What /metrics says, in Prometheus's text format."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from veriserve.request import Load

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """Counters of one API server; gauges are asked of the backend when they are read."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self.requests = Counter("veriserve_requests", "Requests by HTTP status.", ["status"], registry=registry)
        self.prompt_tokens = Counter("veriserve_prompt_tokens", "Tokens of prompts.", registry=registry)
        self.cached_tokens = Counter(
            "veriserve_cached_tokens", "Tokens of prompts found in the prefix cache.", registry=registry
        )
        self.output_tokens = Counter("veriserve_output_tokens", "Tokens generated.", registry=registry)
        self.first_token = Histogram(
            "veriserve_first_token_seconds", "Time to the first token.", buckets=SECONDS, registry=registry
        )
        self.next_token = Histogram(
            "veriserve_next_token_seconds", "Time per token after the first.", buckets=SECONDS, registry=registry
        )
        self._running = Gauge("veriserve_running", "Requests that have pages.", registry=registry)
        self._waiting = Gauge("veriserve_waiting", "Requests that wait for pages.", registry=registry)
        self._pages = Gauge("veriserve_pages", "KV pages by state.", ["state"], registry=registry)
        self._preemptions = Gauge("veriserve_preemptions", "Preemptions since the start.", registry=registry)

    def text(self, load: Load) -> bytes:
        """The exposition."""
        self._running.set(load.running)
        self._waiting.set(load.waiting)
        self._preemptions.set(load.preemptions)
        for state, count in load.pages.items():
            self._pages.labels(state).set(count)
        return generate_latest(self._registry)
