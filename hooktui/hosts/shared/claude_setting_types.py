"""The types of Claude Code's settings: if a value has another type, Claude Code ignores the whole file, hooks included.

Each was tried in 2.1.197 and 2.1.332; settings that only one version checks are left out.
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
