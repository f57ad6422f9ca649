"""What happens between an agent's call and the answer: read, plan, match, run, merge, answer, record."""
