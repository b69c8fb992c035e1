"""The example for Compose: as little allowed as can be, and each process with its shards."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.checked import EXAMPLES, SECRETS, WORKING, Container, user_of_the_image
from tests.repo.product import ROOT

FILE = EXAMPLES / "compose.yaml"
WHOLE: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = WHOLE["services"]
BOTS = [name for name in SERVICES if name.startswith("bot")]
COUNT = 2


def container(name: str) -> Container:
    """A process, as Docker starts it."""
    service = SERVICES[name]
    files = {}
    for volume in service["volumes"]:
        here, there, how = volume.split(":")
        assert how == "ro"
        files[there] = (EXAMPLES / here).read_text(encoding="utf-8")
    for secret in service["secrets"]:
        files[f"/run/secrets/{secret}"] = SECRETS[secret]
    return Container(service["environment"], files, service["user"])


@pytest.mark.parametrize(("number", "name"), [*enumerate(BOTS)])
def test_each_process_has_its_shards(number: int, name: str, tmp_path: Path) -> None:
    said = container(name).check(tmp_path)
    assert said["shard_ids"] == f"{number} (as SHARD_PROCESS says)"
    assert said["shard_count"] == str(COUNT)
    assert said["identify_queue"] == "store"
    assert said["url"] == f"PostgreSQL, from the file {tmp_path}/run/secrets/store_url"


def test_all_have_all_shards() -> None:
    assert len(BOTS) == COUNT


@pytest.mark.parametrize("name", SERVICES)
def test_each_may_do_nothing_that_it_need_not(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not {"privileged", "cap_add", "network_mode", "pid", "ports"} & service.keys()
    user, group = map(int, service["user"].split(":"))
    assert user > 0
    assert group > 0


@pytest.mark.parametrize("name", BOTS)
def test_it_is_the_image_that_is_built_here(name: str) -> None:
    service = SERVICES[name]
    assert (EXAMPLES / service["build"]).resolve() == ROOT
    assert container(name).user == user_of_the_image()
    assert service["healthcheck"]["test"] == ["CMD", "python", "-m", "bot", "health"]
    assert service["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert service["stop_grace_period"] == "20s"
    assert f"{WORKING}/config.toml" in container(name).files


def test_every_secret_is_a_file_that_no_image_and_no_commit_takes() -> None:
    named = {secret for service in SERVICES.values() for secret in service["secrets"]}
    assert named == WHOLE["secrets"].keys()
    for secret, where in WHOLE["secrets"].items():
        assert where == {"file": f"./secrets/{secret}"}
    for ignored in (".gitignore", ".dockerignore"):
        lines = (ROOT / ignored).read_text(encoding="utf-8").splitlines()
        assert "bot/deploy/secrets" in {line.strip("/") for line in lines}


def test_only_the_bot_reaches_what_is_outside() -> None:
    assert WHOLE["networks"]["inside"] == {"internal": True}
    assert SERVICES["postgres"]["networks"] == ["inside"]


def test_postgres_is_made_with_the_secret_and_the_name_that_the_bot_uses() -> None:
    made = SERVICES["postgres"]["environment"]
    assert made["POSTGRES_PASSWORD_FILE"] == "/run/secrets/postgres_password"
    assert f"postgresql://{made['POSTGRES_USER']}:PASSWORD@postgres:5432/{made['POSTGRES_DB']}" in (
        FILE.read_text(encoding="utf-8")
    )
