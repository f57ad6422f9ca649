"""Secrets in the arguments of programs, and ordinary commands, which stay unchanged."""

from __future__ import annotations

import json
import time

import pytest

from hooktui.runner.redaction import MARK, may_hold_secrets, redact, redacted_value

# `{}` is the secret.
GIVEN = [
    "mysql -u root -p{} shop", "mysql -uroot -p'{}' -e 'select 1'", 'mysqldump -h db -p"{}" shop > out.sql',
    "mysqladmin \\\n  -u root \\\n  -p{} status", "mariadb -p{}", "/usr/bin/mysql -p{}", "cd x\nmysql -p{}",
    "MYSQL_PWD={} mysql", "sshpass -p {} ssh -p 22 host", "sshpass -p'{}' scp a b:", "sshpass -v -p {} ssh h",
    "docker login -u me -p {} registry.example", "docker login --password {} x", "podman login -p{} x",
    "helm registry login -u me -p {} x", "az login --service-principal -u x -p {} --tenant t",
    "echo {} | docker login --password-stdin", "echo '{}' | sudo -S reboot", "echo 'me:{}' | sudo chpasswd",
    "redis-cli -h h -a {} ping", "redis-cli --pass {} ping", "REDISCLI_AUTH={} redis-cli", "redis-cli -u redis://:{}@h:6379",
    "PGPASSWORD={} psql -h h", "PGPASSWORD='{}' psql", "psql 'host=h password={} dbname=x'", "psql postgres://u:{}@h/db",
    "mongosh -u me -p {} host", "mongodb+srv://u:{}@h/db", "twine upload -u me -p {} dist/*", "cqlsh -u me -p {} h",
    "sqlcmd -S h -U me -P {} -Q x", "sqlplus me/{}@db", "mosquitto_pub -u me -P {} -t x", "ldapsearch -D cn=x -w {} -b y",
    "unzip -P {} a.zip", "zip -P {} a.zip b", "7z x -p{} a.7z", "smbclient -U me%{} //h/s", "ssh-keygen -t rsa -N '{}' -f k",
    "openssl rsa -in k -passin pass:{}", "openssl enc -aes256 -k {} -in x", "keytool -list -storepass {} -keypass x",
    "htpasswd -b users me {}", "htpasswd -nb me {}", "gh secret set NAME --body {}", "http --auth me:{} host",
    "kubectl create secret generic x --from-literal=a={}", "kubectl create secret generic x --from-literal='a={}'",
    "kubectl --token={} get pods", "curl -u me:{} host", "curl -sSume:{} host", "curl --user me:{} host",
    "curl --proxy-user me:{} host", "curl -b 'sid={}' host", "curl --cookie sid={} host", "curl -H 'X-Api-Key: {}' host",
    "curl https://host \\\n  -u me:{}", "wget --password={} host", "gpg --batch --passphrase {} -d x",
    "export FOO_SECRET={}", 'export FOO_SECRET="{}"', "export DB_PASS={}", "SMTP_AUTH={} send", "X_PWD={} y",
    "Server=h;Uid=u;Pwd={};", "Server=h;User Id=u;Password={};", "machine h login me password {}",
    "//registry.example/:_authToken={}", "npm config set //registry.example/:_authToken {}", "https://oauth2:{}@host/x.git",
]  # fmt: skip
SECRET = "hunter2Zq9"
LONG = "Zq9hunter2Zq9hunter2Zq9"
GIVEN_LONG = [
    "git clone https://{}@host/x.git", "git clone https://{}:x-oauth-basic@host/x.git", "export STRIPE_KEY={}",
    "AccountKey={};EndpointSuffix=core.windows.net", "SharedAccessKey={}=", "SharedAccessSignature sr=x&sig={}&se=1",
    "https://a.example/c?sv=1&sig={}%3D&se=1", "_auth = {}=", "Proxy-Authorization: Basic {}", "Authorization: {}",
]  # fmt: skip
ORDINARY = [
    "mkdir -p src/app && cp -p a b && cp -pr c d", "ssh -p 22 host", "ssh -p2222 me@host ls", "docker run -p 80:80 nginx",
    "docker run -p 3306:3306 mysql:8", "docker compose -p shop up", "docker login", "docker login -u me registry.example",
    "docker exec db mysql -u root -p shop", "mysql -P 3306 -h db", "mysql -u root -p < dump.sql", "apt install mysql-client -y",
    "mysql -e 'select 1' | tee -p out", "mysql -p$PASS", 'mysql -p"$DB_PASS" x', "sshpass -e ssh -p 22 host",
    "sshpass -f file ssh -p 22 host", "ps -p 1", "patch -p1 < a.diff", "git log -p", "git push -u origin main", "nc -w 5 h 80",
    "unzip -p a.zip file", "zip -r a.zip b", "redis-cli -h h -p 6379 ping", "redis-cli -a $REDIS", "ls -a | grep redis-cli",
    "mongosh --port 27017", "mongosh -u me -p", "mongosh -u me -p --host h", "openssl enc -d -in x", "openssl x509 -in c -text",
    "curl -b cookies.txt host", "curl -u $USER:$TOKEN host", "curl -X PUT http://host:80/a", "curl -sSu me host",
    "curl -o out --url http://host:80", "ldapsearch -x -W -b dc=x", "kubectl get secret x -o json", "gh pr create --body text",
    "ssh-keygen -t ed25519 -N '' -f k", "python -m pytest -p no:cacheprovider", "make -k test", "tar -xpf a.tar",
    "sudo -S ls", "echo done | sudo tee -a file", "echo $PASS | docker login --password-stdin", "the machine will login later",
    "git clone https://me@host/x.git", "git clone git@github.com:owner/a-repository-2024.git", "ssh://git@host:22/x",
    "https://cdn.example/npm/package@1.2.3/dist", "pip install git+https://host/x@v1.2", "PWD=/home/me OLDPWD=/tmp ls",
    "OLD_PWD=/srv/app", "PRIMARY_KEY=id SORT_KEY=created_at_then_name_of_the_user", "two_pass=True", "NO_AUTH=1",
    "docker login && mkdir -p x", "docker login\nmkdir -p x", "7z x a.7z -oout", "sqlplus /nolog", "tests pass: 12, fail: 3",
    "sk-learn and pre-commit-hooks-for-everybody", "task_sk-some-name", "pattern-matching-in-depth-for-everyone",
    "dapper-services-are-here-to-stay-forever-and", "expo_router_and_navigation_in_depth_for_all_of_you",
    "type `mysql -p` first",
]  # fmt: skip


@pytest.mark.parametrize(("command", "secret"), [*((one, SECRET) for one in GIVEN), *((one, LONG) for one in GIVEN_LONG)])
def test_only_the_secret_argument_of_a_command_is_redacted(command: str, secret: str) -> None:
    given = command.format(secret)
    shown = redact(given)
    assert secret not in shown
    assert MARK in shown
    assert len(shown) > len(command) - 12  # "Basic" and the like may go with it
    assert redact(shown) == shown
    payload = {"tool_input": {"command": given}}
    assert may_hold_secrets(json.dumps(payload))
    assert secret not in json.dumps(redacted_value(payload))


@pytest.mark.parametrize("command", ORDINARY)
def test_ordinary_command_is_unchanged(command: str) -> None:
    assert redact(command) == command
    assert redacted_value({"command": command}) == {"command": command}


def test_secret_in_nested_json_text_is_redacted() -> None:
    text = "\n".join([*(one.format(SECRET) for one in GIVEN), *(one.format(LONG) for one in GIVEN_LONG)])
    for _ in range(3):
        assert "hunter2" not in redact(text)
        assert "hunter2" not in redact(f"it said: {text}")
        text = json.dumps({"said": text})


def test_quoted_secret_of_several_words_is_redacted_inside_its_quotes() -> None:
    assert redact("mysql -u me -p'correct horse' shop") == f"mysql -u me -p'{MARK}' shop"
    assert redact('docker login -p "correct horse" x') == f'docker login -p "{MARK}" x'


@pytest.mark.parametrize("sign", ["“{}”", "–{}–", "«{}»", "{}。", "\x01{}"])
def test_token_next_to_non_ascii_letters_is_redacted(sign: str) -> None:
    token = "glcbt" + "-" + "a1B2" * 6
    assert redact(sign.format(token)) == sign.format(MARK)
    payload = {"text": sign.format(token)}
    assert redacted_value(payload) == {"text": sign.format(MARK)}
    assert may_hold_secrets(json.dumps(payload, ensure_ascii=False))


@pytest.mark.parametrize(
    "hostile", ["mysql -p" * 10_000, "mysql " + "-x " * 25_000, "curl -u " * 15_000, "echo sudo " * 10_000]
)
def test_redaction_is_fast_on_any_command(hostile: str) -> None:
    began = time.process_time()
    redact(hostile + ".")
    assert time.process_time() - began < 5
