// hooktui's plugin for opencode. `hooktui connect opencode` writes it, `hooktui disconnect opencode` deletes it.
//
// It sends each event as JSON to the stdin of COMMAND. Exit code 2 denies, with the reason on stderr. Other answers are JSON on
// stdout: `input` replaces a tool's input, `context` is for the model, `systemMessage` for the user.
import { spawn } from "node:child_process"

const COMMAND = []
const EVENTS = []
const TIMEOUT_S = 900

// Run COMMAND and resolve to its answer; never reject. `failed` says why there is none.
const ask = (payload) =>
  new Promise((resolve) => {
    const [program, ...words] = COMMAND
    const child = spawn(program, words, { cwd: payload.cwd, stdio: ["pipe", "pipe", "pipe"] })
    let stdout = ""
    let stderr = ""
    const timer = setTimeout(() => {
      child.kill()
      resolve({ failed: `hooktui did not answer within ${TIMEOUT_S} s` })
    }, TIMEOUT_S * 1000)
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text))
    child.stdin.on("error", () => {}) // it may exit without reading
    child.on("error", (error) => {
      clearTimeout(timer)
      const message = `hooktui is gone (${error.message}): HOOK.md hooks do not run. Run \`hooktui doctor\`.`
      resolve({ systemMessage: message, isGone: true })
    })
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (signal) return resolve({ failed: `hooktui was ended by ${signal}` })
      const deny = code === 2 ? stderr.trim() || "Blocked by a hook" : undefined
      try {
        resolve({ ...JSON.parse(stdout || "{}"), deny })
      } catch {
        resolve({ deny })
      }
    })
    child.stdin.end(JSON.stringify(payload))
  })

// Shared with a second copy of this plugin, in the project and in the user's configuration: each event is handled once.
// `objects` are those that opencode passes to both copies, `ids` are those of its events. `sessions` holds, by ID: `parent` of a
// subagent's session; `begun`, the answer to its SessionStart; `message`, the last prompt's, which names agent and model;
// `reason` of the last denied Stop; `failed`, it ended in an error; `context` of running tools by call.
const { objects, ids, sessions } = (globalThis[Symbol.for("hooktui")] ??= {
  objects: new WeakSet(),
  ids: new Set(),
  sessions: new Map(),
})
const isFirst = (object) => !objects.has(object) && Boolean(objects.add(object))
const isFirstEvent = ({ id }) => !id || (!ids.has(id) && Boolean(ids.add(id)))
const session = (id) => sessions.get(id) ?? sessions.set(id, { context: new Map() }).get(id)

export const Hooktui = async ({ client, directory }) => {
  let isGone = false

  const tell = (message) => {
    const ignore = () => {} // there is no screen in `opencode run`
    client.app.log({ body: { service: "hooktui", level: "warn", message } }).catch(ignore)
    client.tui.showToast({ body: { title: "hooktui", message, variant: "warning", duration: 10000 } }).catch(ignore)
  }

  const send = async (event, id, fields) => {
    if (!EVENTS.includes(event)) return {}
    const { parent } = session(id)
    const agent = parent ? { agent_id: id } : {}
    const answer = await ask({
      hook_event_name: event,
      session_id: parent ?? id,
      cwd: directory,
      timestamp: new Date().toISOString(),
      ...agent,
      ...fields,
    })
    if (answer.systemMessage && !(answer.isGone && isGone)) tell(answer.systemMessage)
    isGone ||= Boolean(answer.isGone)
    if (answer.failed) tell(answer.failed)
    return answer
  }

  const begin = ({ id, parentID }) => {
    const own = session(id)
    own.parent = parentID && (session(parentID).parent ?? parentID)
    if (!own.parent) own.begun = send("SessionStart", id, { source: "startup" })
  }

  const fail = async (id, error) => {
    session(id).failed = true
    if (error?.name !== "MessageAbortedError") await send("StopFailure", id, { error: error?.data?.message ?? error?.name })
  }

  const stop = async (id) => {
    const own = session(id)
    const hasFailed = own.failed
    own.failed = false
    if (own.parent || hasFailed) return
    const { deny } = await send("Stop", id, { stop_hook_active: Boolean(own.reason) })
    own.reason = deny
    if (!deny) return
    const { agent, model } = own.message ?? {}
    await client.session.prompt({ path: { id }, body: { agent, model, parts: [{ type: "text", text: deny }] } })
  }

  return {
    "chat.message": async (input, output) => {
      if (!isFirst(output)) return
      const own = session(input.sessionID)
      own.message = output.message
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = texts.map((part) => part.text).join("\n")
      if (own.parent || prompt === own.reason) return // no person wrote it
      own.reason = undefined
      const begun = await own.begun
      const answer = await send("UserPromptSubmit", input.sessionID, { prompt })
      if (answer.deny ?? answer.failed) {
        setTimeout(tell, 1000, answer.deny ?? answer.failed) // after opencode's own "Unexpected server error"
        throw new Error(answer.deny ?? answer.failed)
      }
      own.begun = undefined
      const context = [begun?.context, answer.context].filter(Boolean)
      if (texts.length && context.length) texts.at(-1).text += `\n\n${context.join("\n\n")}`
    },

    "tool.execute.before": async (input, output) => {
      if (!isFirst(output)) return
      const fields = { tool_use_id: input.callID, tool_name: input.tool, tool_input: output.args }
      const answer = await send("PreToolUse", input.sessionID, fields)
      if (answer.deny ?? answer.failed) throw new Error(answer.deny ?? answer.failed)
      if (answer.context) session(input.sessionID).context.set(input.callID, answer.context)
      if (!answer.input) return
      for (const name of Object.keys(output.args)) delete output.args[name]
      Object.assign(output.args, answer.input)
    },

    "tool.execute.after": async (input, output) => {
      if (!isFirst(output)) return
      const { context } = session(input.sessionID)
      const fields = { tool_use_id: input.callID, tool_name: input.tool, tool_input: input.args, tool_response: output.output }
      const answer = await send("PostToolUse", input.sessionID, fields)
      const added = [context.get(input.callID), answer.context].filter(Boolean)
      context.delete(input.callID)
      output.output = [answer.deny ?? output.output, ...added].join("\n\n")
    },

    "experimental.session.compacting": async (input, output) => {
      if (isFirst(output)) await send("PreCompact", input.sessionID, { trigger: "auto" })
    },

    event: async ({ event }) => {
      const handle = {
        "session.created": ({ info }) => begin(info),
        "session.compacted": ({ sessionID }) => send("PostCompact", sessionID, {}),
        "session.error": ({ sessionID, error }) => sessionID && fail(sessionID, error),
        "session.idle": ({ sessionID }) => stop(sessionID),
      }[event.type]
      if (handle && isFirstEvent(event)) await handle(event.properties)
    },
  }
}
