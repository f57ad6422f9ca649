"""Changing hooks as a whole: on and off, copy, move, convert, delete and restore, for every format.

Each is a plan first, which says what would be written and what becomes of each field; carrying it out gives a change that can
be taken back. Nothing is written over another's change, and a person's bytes are touched only where they must be.
"""
