"""Services the app holds for every screen: the catalog, the log, navigation, undo."""
