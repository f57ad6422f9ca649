-- One event in 50 is denied, one in 200 has a hook that failed, one in 100,000 has a rare word. What is random in real records is random
-- here: times, ids, hashes and durations; otherwise they would take far less than theirs on the disk.
INSERT INTO otel.otel_logs (Timestamp, ServiceName, EventName, SeverityText, Body, ResourceAttributes, LogAttributes)
WITH {first} + number AS n, {begin} + n * {step} + cityHash64(n, 'time') % {step} AS us,
    toUInt64(us - {epoch}) * 4096 + cityHash64(n, 'id') % 4096 AS number_of_id,
    arrayStringConcat(arrayMap(place -> substring('{alphabet}', intDiv(number_of_id, toUInt64(exp2(place * 5))) % 32 + 1, 1),
        range(12, -1, -1))) AS id,
    intDiv(n, {machines} * {in_session}) * {machines} + n % {machines} AS session, cityHash64(n, 'denied') % 50 = 0 AS denied,
    if(denied, 'deny', 'none') AS decision, if(cityHash64(n, 'failed') % 200 = 0, 'failed', 'ok') AS state,
    concat('git commit -m ', toString(cityHash64(n)), if(n % 100000 = 7, ' zanzibar', ' message'), ' in src/module_',
        toString(n % 977), '.py and then run the tests of the whole project') AS command,
    toString(round(exp(cityHash64(n, 'took') % 1000 / 200) + 2, 1)) AS took_ms,
    concat('toolu_', lower(hex(cityHash64(n, 'call'))), lower(hex(toUInt32(cityHash64(n, 'place') % 4294967296)))) AS call
SELECT fromUnixTimestamp64Micro(toInt64(us)), 'hooktui', 'hooktui.dispatch', 'INFO',
    concat('{{"id":"', id, '","at":"', replaceOne(substring(toString(fromUnixTimestamp64Micro(toInt64(us), 'UTC')), 1, 23), ' ', 'T'), 'Z","event":"pre-tool-call","host":"claude","session_id":"s-', toString(session), '","title":"work on ',
        toString(session), '","project":"/home/dev/p', toString(session % 40), '","tool_name":"Bash","decision":"', decision,
        '","effect":"', decision, '","origin":"run","outcome":null,"hooks_recorded":"all","reason":',
        if(denied, '"Dangerous command blocked"', 'null'), ',"modified_input":null,"additional_context":[],"system_messages":[],',
        '"log":[],"warnings":[],"duration_ms":', took_ms, ',"synthetic":false,"hooks":[{{"id":"agenthooks:user:guard","name":"guard",',
        '"label":"guard","origin":"run","format":"agenthooks","scope":"user","file":"/home/dev/.config/agents/hooks/guard/HOOK.md",',
        '"line":4,"state":"', state, '","skip":null,"why":"matched tool Bash","decision":"', decision, '","via":null,"reason":null,',
        '"exit_code":0,"signal":null,"started_ms":0.1,"duration_ms":', took_ms, ',"stdout":"","stderr":"","truncated":false,',
        '"modified_input":null,"additional_context":null,"system_message":null,"log":null,"problems":[]}}],',
        '"payload":{{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"', call, '","tool_input":{{"command":"', command, '"}}}}}}'),
    map('service.name', 'hooktui', 'service.version', '0.1.0', 'service.instance.id', concat('instance-', toString(n % {machines})),
        'host.name', concat('machine-', toString(n % {machines}))),
    map('event.name', 'hooktui.dispatch', 'hooktui.seq', toString(intDiv(n, {machines}) + 1), 'hooktui.id', id, 'hooktui.event',
        'pre-tool-call', 'hooktui.decision', decision, 'hooktui.effect', decision, 'hooktui.state', state, 'hooktui.origin', 'run',
        'hooktui.duration_ms', took_ms, 'hooktui.project', concat('/home/dev/p', toString(session % 40)), 'hooktui.runs',
        concat('guard\t', state, '\t', decision), 'session.id', concat('s-', toString(session)), 'gen_ai.agent.name', 'claude',
        'gen_ai.tool.name', 'Bash', 'gen_ai.tool.call.id', call, 'hooktui.hash',
        lower(arrayStringConcat(arrayMap(part -> hex(cityHash64(n, part)), range(4)))), 'security_rule.name', if(denied, 'guard', ''),
        'security_rule.version', if(denied, '4f2a', ''))
FROM numbers({count})
