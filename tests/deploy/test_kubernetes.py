"""The example for Kubernetes: valid, as little allowed as can be, and each pod with its shards."""

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from bot.config import Settings, load_settings
from bot.ops.health import LIVE, READY
from bot.ops.sharding import read_ids
from tests.deploy.checked import EXAMPLES, SECRETS, WORKING, Container, user_of_the_image

FILE = EXAMPLES / "kubernetes.yaml"
CONFIG = "config.toml"
DOCUMENTS: list[dict[str, Any]] = list(yaml.safe_load_all(FILE.read_text(encoding="utf-8")))


def of_kind(kind: str) -> dict[str, Any]:
    (found,) = (document for document in DOCUMENTS if document["kind"] == kind)
    return found


SET = of_kind("StatefulSet")["spec"]
POD = SET["template"]["spec"]
(BOT,) = POD["containers"]


def pod(ordinal: int) -> Container:
    """A process, as Kubernetes starts it."""
    name = f"{of_kind('StatefulSet')['metadata']['name']}-{ordinal}"
    environment = {
        one["name"]: one["value"] if "value" in one else field(one["valueFrom"], name)
        for one in BOT["env"]
    }
    volumes = {volume["name"]: volume for volume in POD["volumes"]}
    files = {}
    for mount in BOT["volumeMounts"]:
        volume = volumes.pop(mount["name"])
        if "configMap" in volume:
            assert volume["configMap"]["name"] == of_kind("ConfigMap")["metadata"]["name"]
            files[mount["mountPath"]] = of_kind("ConfigMap")["data"][mount["subPath"]]
        else:
            for item in volume["secret"]["items"]:
                files[f"{mount['mountPath']}/{item['path']}"] = SECRETS[item["key"]]
    assert not volumes  # each is mounted somewhere
    context = POD["securityContext"]
    return Container(environment, files, f"{context['runAsUser']}:{context['runAsGroup']}")


def field(said: dict[str, Any], name: str) -> str:
    assert said == {"fieldRef": {"fieldPath": "metadata.name"}}
    return name


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Those of the first process."""
    first = pod(0)
    (tmp_path / CONFIG).write_text(first.files[f"{WORKING}/{CONFIG}"], encoding="utf-8")
    process = {"SHARD_PROCESS": first.environment["SHARD_PROCESS"]}
    return load_settings(tmp_path / CONFIG, process)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document["kind"])
def test_each_document_is_one_of_kubernetes(document: dict[str, Any]) -> None:
    version = kubernetes_validate.latest_version()
    kubernetes_validate.validate(document, version, strict=True)


@pytest.mark.parametrize("ordinal", range(SET["replicas"]))
def test_each_pod_has_its_shards(ordinal: int, tmp_path: Path) -> None:
    said = pod(ordinal).check(tmp_path)
    each = int(said["shards_per_process"])
    first = ordinal * each
    assert said["shard_ids"] == f"{first}-{first + each - 1} (as SHARD_PROCESS says)"
    assert said["shard_count"] == "16"
    assert said["identify_queue"] == "store"
    assert said["url"] == f"PostgreSQL, from the file {tmp_path}/run/secrets/vram-bot/store_url"


def test_all_pods_have_all_shards_and_each_once(settings: Settings) -> None:
    each, count = settings.discord.shards_per_process, settings.discord.shard_count
    assert isinstance(count, int)
    assert each is not None
    assert SET["replicas"] * each == count
    assert settings.discord.shard_ids == read_ids(f"0-{each - 1}")


def test_probes_ask_where_the_bot_answers(settings: Settings) -> None:
    (port,) = BOT["ports"]
    assert port["containerPort"] == settings.health.port
    assert settings.health.host == "0.0.0.0"  # noqa: S104  (the kubelet asks from outside)
    asked = {probe: BOT[probe]["httpGet"] for probe in BOT if probe.endswith("Probe")}
    assert asked == {
        "startupProbe": {"path": LIVE, "port": port["name"]},
        "livenessProbe": {"path": LIVE, "port": port["name"]},
        "readinessProbe": {"path": READY, "port": port["name"]},
    }


def test_a_stop_has_time_for_what_is_being_answered(settings: Settings) -> None:
    assert POD["terminationGracePeriodSeconds"] >= 2 * settings.limits.drain_s + 10


def test_it_may_do_nothing_that_it_need_not() -> None:
    assert POD["automountServiceAccountToken"] is False
    assert POD["securityContext"]["runAsNonRoot"] is True
    assert POD["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert BOT["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod(0).user == user_of_the_image()
    assert all(mount["readOnly"] for mount in BOT["volumeMounts"])
    assert BOT["resources"]["limits"].keys() == {"cpu", "memory"}


def test_its_secrets_are_made_by_the_command_that_stands_above() -> None:
    text = FILE.read_text(encoding="utf-8")
    (command,) = (line for line in text.splitlines() if "kubectl create secret" in line)
    for volume in POD["volumes"]:
        if "secret" in volume:
            assert f"create secret generic {volume['secret']['secretName']} " in command
            for item in volume["secret"]["items"]:
                assert f"--from-file={item['key']}" in command


def test_all_begin_at_once_and_leave_one_by_one() -> None:
    labels = SET["template"]["metadata"]["labels"]
    budget = of_kind("PodDisruptionBudget")["spec"]
    assert SET["podManagementPolicy"] == "Parallel"
    assert SET["updateStrategy"] == {"type": "RollingUpdate"}
    assert budget["maxUnavailable"] == 1
    assert labels == SET["selector"]["matchLabels"] == budget["selector"]["matchLabels"]
    assert of_kind("Service")["spec"]["selector"] == labels
    assert of_kind("Service")["metadata"]["name"] == SET["serviceName"]
