"""The log of a company: shipping to an OpenTelemetry collector, and reading what the collector stored (docs/fleet.md)."""
