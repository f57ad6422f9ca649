"""The app's screens: one package per screen, and the widgets, dialogs, keys and services that they share."""
