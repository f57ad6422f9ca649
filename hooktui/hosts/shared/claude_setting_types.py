"""The settings of Claude Code that must have a type: for any other it ignores the file, hooks included.

Run in 2.1.197 and 2.1.332 (tests/hosts/test_unread_files.py). Those that only one of them insists on are left out.
"""

from __future__ import annotations

TYPES: dict[str, type] = {
    **dict.fromkeys(
        (
            *("apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper"),
            *("$schema", "agent", "language", "model", "outputStyle", "plansDirectory", "permissions.defaultMode"),
        ),
        str,
    ),
    **dict.fromkeys(
        (
            *("allowManagedHooksOnly", "alwaysThinkingEnabled", "autoMemoryEnabled", "enableAllProjectMcpServers"),
            *("includeCoAuthoredBy", "includeGitInstructions", "prefersReducedMotion", "respectGitignore"),
            *("showThinkingSummaries", "skipWebFetchPreflight", "spinnerTipsEnabled", "syntaxHighlightingDisabled"),
            *("verbose", "sandbox.enabled"),
        ),
        bool,
    ),
    **dict.fromkeys(
        (
            *("allowedHttpHookUrls", "availableModels", "companyAnnouncements", "httpHookAllowedEnvVars"),
            *("permissions.allow", "permissions.ask", "permissions.deny", "permissions.additionalDirectories"),
        ),
        list,
    ),
    **dict.fromkeys(
        (
            *("attribution", "autoMode", "enabledPlugins", "env", "fileSuggestion", "modelOverrides", "permissions"),
            *("pluginConfigs", "sandbox", "statusLine", "worktree"),
        ),
        dict,
    ),
    "cleanupPeriodDays": int,
}
