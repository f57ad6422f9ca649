"""What programs trim off the answers of hooks (run; Claude Code 2.1.332, Copilot CLI 1.0.102, Factory droid 0.215.0)."""

JSON = " \t\n\r"
JAVASCRIPT = JSON + "\v\f\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
