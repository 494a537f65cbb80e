"""The same clusters from a cluster: Spark moves the rows, the compiled functions do the work.

No pair crosses a component of documents that share buckets. So documents are prepared where they are,
components are found over their keys alone, and each component goes as a whole through the driver of one
machine: the answer is that of ``lookalike find``, counts included.

Needs PySpark 4, pandas and pyarrow, on the driver and on the executors, and this package on both.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Sequence
from typing import Any

try:
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as F
except ModuleNotFoundError as missing:  # pragma: no cover
    from .errors import InputError

    raise InputError("lookalike.spark needs PySpark 4: pip install pyspark pyarrow 'pandas<3'") from missing

from . import _lookalike
from ._config import ConfigLike, PathLike, resolve
from ._executors import FOUND, PREPARED, Shared, counting, finding, matching, preparing
from ._spark_components import DRIVER_EDGES, connected, edges_of
from ._spark_packing import TASK_DOCUMENTS, by_chance, packing
from ._stages import UNKNOWN, Stages, input_stamp, told
from .errors import ConfigError, InputError, LookalikeWarning

__all__ = ["DedupFrames", "FoundFrames", "against", "components", "dedup", "find", "stars", "statistics"]


class FoundFrames:
    """Clusters and pairs as data frames, read from the folder of the job."""

    def __init__(self, job: _Job, found: DataFrame, summary: dict[str, Any]) -> None:
        self._job = job
        self._found = found
        #: Counts that add up, as in ``summary.json``; also the largest component.
        self.summary = summary
        #: The stages that an earlier run had finished.
        self.reused = job.stages.reused

    @property
    def clusters(self) -> DataFrame:
        """A row for each document of a cluster: ``id, cluster, size, keeper, score``."""
        return self._found.where("kind = 'cluster'").select("id", "cluster", "size", "keeper", "score")

    @property
    def unreadable(self) -> DataFrame:
        """The rows that hold no document: ``id, reason``. They are neither kept nor removed."""
        unreadable = self._job.prepared().where("unreadable is not null")
        return unreadable.select("id", F.col("unreadable").alias("reason"))

    @property
    def pairs(self) -> DataFrame:
        """The confirmed pairs: ``a, b, score``; of ``paragraph`` also ``evidence``, what they share as JSON."""
        columns = ["a", "b", "score"] + (["evidence"] if self._job.has_evidence else [])
        return self._found.where("kind = 'pair'").select(*columns)


class DedupFrames(FoundFrames):
    """Also the rows that stay and those that go."""

    @property
    def kept(self) -> DataFrame:
        """The rows without the copies of others; a row without a text stays."""
        job = self._job
        gone = self.clusters.where("not keeper").select(F.col("id").alias("lookalike_id"))
        gone = gone.union(self.unreadable.select(F.col("id").alias("lookalike_id")))
        same = job.frame[job.id].cast("string") == F.col("lookalike_id")
        return job.frame.join(gone, same, "left_anti")

    @property
    def removed(self) -> DataFrame:
        """The rows that are copies, with ``duplicate_of`` and ``score``."""
        job = self._job
        gone = self.clusters.where("not keeper").select(
            F.col("id").alias("lookalike_id"),
            F.col("cluster").alias(_free(job.frame, "duplicate_of")),
            F.col("score").alias(_free(job.frame, "score")),
        )
        same = job.frame[job.id].cast("string") == F.col("lookalike_id")
        return job.frame.join(gone, same, "inner").drop("lookalike_id")


def find(
    frame: DataFrame,
    *,
    work: PathLike | None = None,
    text: str | None = None,
    id: str | None = None,
    config: ConfigLike = None,
    partitions: int | None = None,
    driver_edges: int = DRIVER_EDGES,
    **parameters: Any,
) -> FoundFrames:
    """Clusters of near-duplicates and the pairs they rest on; changes nothing.

    Args:
        frame: the documents; ids are texts or whole numbers and must differ.
        work: a folder that all executors can write. Each finished stage stays there, and is not run
            again where frame and configuration are the same; delete it when the job is done. Without it, a
            temporary folder where Spark runs on this machine alone, else one in Spark's checkpoint folder.
        text: the column of the text; ``text`` unless given.
        id: the column of the ids; ``id`` unless given.
        partitions: how many tasks judge the components; by their number of documents unless given.
        driver_edges: up to so many edges, components are found on the driver, else in rounds.
        parameters: the configuration, as for :func:`lookalike.find`. Rows of a frame have no order:
            documents that a keep rule leaves equal are ordered by id (``keep="first"`` is ``keep="id"``).
    """
    job = _Job(frame, work, text, id, config, parameters)
    return FoundFrames(job, *job.find(partitions, driver_edges))


def dedup(
    frame: DataFrame,
    *,
    work: PathLike | None = None,
    text: str | None = None,
    id: str | None = None,
    config: ConfigLike = None,
    partitions: int | None = None,
    driver_edges: int = DRIVER_EDGES,
    **parameters: Any,
) -> DedupFrames:
    """The frame without its copies, and the copies with what they are copies of.

    The arguments are those of :func:`find`.
    """
    guarded = json.loads(_lookalike.for_removal(resolve(config, parameters)))
    job = _Job(frame, work, text, id, guarded, {})
    return DedupFrames(job, *job.find(partitions, driver_edges))


def against(
    new: DataFrame,
    known: DataFrame,
    *,
    work: PathLike | None = None,
    text: str | None = None,
    id: str | None = None,
    among_new: bool = False,
    config: ConfigLike = None,
    partitions: int | None = None,
    driver_edges: int = DRIVER_EDGES,
    **parameters: Any,
) -> FoundFrames:
    """Each new document with the known one it matches best; known ones are not compared."""
    job = _Job(new, work, text, id, config, parameters, known)
    return FoundFrames(job, *job.find(partitions, driver_edges, among_new))


def statistics(
    frame: DataFrame,
    path: PathLike,
    *,
    text: str | None = None,
    id: str | None = None,
    method: str | None = None,
    config: ConfigLike = None,
    **parameters: Any,
) -> None:
    """Counts in how many documents each term stands and writes it to a file, for ``stats=…``."""
    settings = resolve(config, dict(parameters, method=method or "imatch"))
    documents = _documents(frame, text or "text", id or "id", [])
    with open(os.fspath(path), "wb") as file:
        file.write(_count(documents, settings))


def components(edges: DataFrame, *, work: PathLike | None = None, driver_edges: int = DRIVER_EDGES) -> DataFrame:
    """Connected components of any edges: ``node, component``, where a component is named by its smallest node.

    Args:
        edges: a frame of two columns of whole numbers.
        work: a folder that all executors can write; chosen as by :func:`find`.
        driver_edges: up to so many edges are connected on the driver, more by :func:`stars`.
    """
    stages = Stages(edges.sparkSession, _work(edges, work), {"input": UNKNOWN})
    return stages.table("components", lambda: connected(_two_numbers(edges), stages, driver_edges))


def stars(edges: DataFrame, *, work: PathLike | None = None) -> DataFrame:
    """As :func:`components`, in rounds of large and small stars, whatever the number of edges.

    Each round is written to the folder before the next, so that a lost executor costs a part of one round.
    """
    return components(edges, work=work, driver_edges=-1)


def _two_numbers(edges: DataFrame) -> DataFrame:
    kinds = [kind for _, kind in edges.dtypes]
    if len(kinds) != 2 or not set(kinds) <= {"tinyint", "smallint", "int", "bigint"}:
        raise InputError(f"edges are two columns of whole numbers, and these are {', '.join(kinds) or 'none'}")
    return edges.select(*(edges[name].cast("bigint").alias(to) for name, to in zip(edges.columns, ("node", "first"))))


class _Job:
    """One run: its documents, its configuration, its stages."""

    def __init__(
        self,
        frame: DataFrame,
        work: PathLike | None,
        text: str | None,
        id: str | None,
        config: ConfigLike,
        parameters: dict[str, Any],
        known: DataFrame | None = None,
    ) -> None:
        table: dict[str, Any] = json.loads(resolve(config, parameters))
        table["keep"] = _rule(table.get("keep", "first"))
        # A task has one core unless Spark says otherwise, and runs beside others.
        table["threads"] = int(frame.sparkSession.conf.get("spark.task.cpus", "1") or 1)
        self.text = text or table.pop("text-key", "text")
        self.id = id or table.pop("id-key", "id")
        self.frame = frame
        fields = _lookalike.keep_fields(table["keep"])
        self.documents = _documents(frame, self.text, self.id, fields)
        if known is not None:
            others = _documents(known, self.text, self.id, fields)
            self.documents = self.documents.withColumn("is_known", F.lit(False)).unionByName(
                others.withColumn("is_known", F.lit(True)), allowMissingColumns=True
            )
        self.has_known = known is not None
        self.artifacts: dict[str, bytes] = {
            key: _content(table.pop(key)) for key in ("stats", "model", "boilerplate") if key in table
        }
        self.settings = json.dumps(table, sort_keys=True)
        frames = [frame] if known is None else [frame, known]
        digest = {key: _digest(content) for key, content in sorted(self.artifacts.items())}
        stamp = {
            "version": _lookalike.__version__,
            "configuration": json.dumps([self.settings, digest, self.text, self.id]),
            "input": "+".join(input_stamp(frame) for frame in frames),
        }
        self.stages = Stages(frame.sparkSession, _work(frame, work), stamp)

    def find(
        self, partitions: int | None, driver_edges: int, among_new: bool = False
    ) -> tuple[DataFrame, dict[str, Any]]:
        shared = self._shared()
        self._prepared = self.stages.table(
            "prepared", lambda: self.documents.mapInArrow(preparing(shared), PREPARED)
        )
        self._count_rows()
        edges = self.stages.table("edges", lambda: edges_of(self._prepared))
        components = self.stages.table("components", lambda: connected(edges, self.stages, driver_edges))
        work = matching(shared, among_new) if self.has_known else finding(shared)
        found = self.stages.table(
            "found", lambda: self._packed(components, partitions).mapInArrow(work, FOUND)
        )
        return found, self._summary(found, components)

    def prepared(self) -> DataFrame:
        """Every document with its keys, or why it has none."""
        return self._prepared

    def _shared(self) -> Any:
        """What executors need, as a broadcast; statistics are counted where the method needs them."""
        table: dict[str, Any] = json.loads(self.settings)
        if table.get("ignore-boilerplate") and "boilerplate" not in self.artifacts:
            raise ConfigError(
                "ignore_boilerplate counts a whole collection: give boilerplate=…, a file that a run "
                "with write-artifacts wrote"
            )
        model = self.artifacts.get("model")
        if "stats" not in self.artifacts and _lookalike.counts_input(self.settings, model):
            counted = self.stages.file("statistics", lambda: _count(self.documents, self.settings))
            worth = _lookalike.worth_asking_with(counted, model)
            if worth is None:
                self.settings = json.dumps({**table, "model-stats": True}, sort_keys=True)
            else:
                self.artifacts["stats"] = worth
        method = _lookalike.method_state(self.settings, self.artifacts)
        self.has_evidence = _lookalike.Method.from_state(method).shows_matches()
        shared = Shared(self.settings, method, self.artifacts, self.has_evidence)
        return self.frame.sparkSession.sparkContext.broadcast(shared)

    def _count_rows(self) -> None:
        """Counts the rows, and refuses ids that are missing or not unique."""
        counted = self._prepared.agg(
            F.count("*").alias("documents"),
            F.count("unreadable").alias("unreadable"),
            F.count("rejected").alias("too_short"),
            F.count("id").alias("ids"),
            F.count_distinct("node").alias("nodes"),
        ).first()
        self._counts = {key: int(counted[key]) for key in ("documents", "unreadable", "too_short")}
        missing = self._counts["documents"] - int(counted["ids"])
        if missing:
            raise InputError(f"{missing} rows have no id in column `{self.id}`; give every row one")
        if int(counted["nodes"]) < self._counts["documents"]:
            ids = self._prepared.groupBy("node").agg(F.count("*").alias("n"), F.min("id").alias("id"))
            twice = ids.where("n > 1").orderBy("id").take(1)
            raise InputError(f"two rows have the id `{twice[0]['id']}`; make the ids unique")

    def _packed(self, components: DataFrame, partitions: int | None) -> DataFrame:
        """The documents of components in tasks of about one size, each component in one of them."""
        tasks, slots = packing(components, partitions)
        packed = self.documents.join(components, "node").join(F.broadcast(slots), "component", "left")
        order = ["is_known", "component", "id"] if self.has_known else ["component", "id"]
        packed = packed.withColumn("slot", F.coalesce("slot", by_chance(tasks)))
        packed = packed.repartition(len(tasks), "slot").sortWithinPartitions(*order)
        return packed.drop("node", "component", "slot")

    def _summary(self, found: DataFrame, components: DataFrame) -> dict[str, Any]:
        facts = [json.loads(row["facts"]) for row in found.where("kind = 'facts'").select("facts").collect()]
        sizes = components.groupBy("component").count()
        largest = sizes.orderBy(F.desc("count"), "component").take(1)
        totals = ("clusters", "removed", "candidate_pairs", "confirmed_pairs", "skipped_comparisons")
        summary: dict[str, Any] = {
            **self._counts,
            **{key: sum(fact[key] for fact in facts) for key in totals},
            "largest_cluster": max((fact["largest_cluster"] for fact in facts), default=0),
            "largest_component": self._named(largest[0]) if largest else None,
        }
        for count, told_so in (
            (summary["unreadable"], "rows could not be read"),
            (summary["skipped_comparisons"], "comparisons were skipped in crowded buckets"),
        ):
            if count:
                warnings.warn(f"{count} {told_so}", LookalikeWarning, stacklevel=4)
        return summary

    def _named(self, component: Any) -> dict[str, Any]:
        """A component by one of its documents; one that fills more than a task is told."""
        member = self._prepared.where(F.col("node") == component["component"]).select("id").first()
        if component["count"] > TASK_DOCUMENTS:
            warnings.warn(
                f"{component['count']} documents hang together by shared buckets, `{member['id']}` among them, and "
                "were judged in one task; a higher threshold or a boilerplate file takes them apart",
                LookalikeWarning, stacklevel=5,
            )
        return {"documents": int(component["count"]), "member": member["id"]}


def _count(documents: DataFrame, settings: str) -> bytes:
    parts = told(lambda: documents.mapInArrow(counting(settings), "counts binary").collect())
    return _lookalike.merge_statistics([bytes(row["counts"]) for row in parts])


def _documents(frame: DataFrame, text: str, id: str, fields: Sequence[str]) -> DataFrame:
    """The columns that a run looks at, and a number for each row that follows from its id."""
    types = dict(frame.dtypes)
    for name, key in ((text, "text"), (id, "id")):
        if name not in types:
            raise InputError(
                f"there is no column `{name}`; name the column of the {key} with {key}=…; "
                f"the columns are {', '.join(types)}"
            )
    if types[text] != "string":
        raise InputError(f"the column `{text}` is of type {types[text]}; texts are strings")
    if types[id] not in ("string", "tinyint", "smallint", "int", "bigint"):
        raise InputError(f"the ids in column `{id}` are of type {types[id]}; ids are texts or whole numbers")
    name = frame[id].cast("string")
    kept = [field for field in ("title", "subject", "url", *fields) if field in types]
    others = [frame[field] for field in dict.fromkeys(kept) if field not in (text, id)]
    return frame.select(
        F.xxhash64(name).alias("node"), name.alias("id"), frame[text].alias("text"), *others
    )


def _rule(keep: Any) -> str:
    """A keep rule that leaves nothing to the order of rows.

    >>> _rule("first"), _rule("longest"), _rule("max:rank then id")
    ('id', 'longest then id', 'max:rank then id')
    """
    if not isinstance(keep, str):
        raise ConfigError(f"keep = `{keep}`: expected a rule such as id, longest or newest:date")
    parts = [part.strip() for part in keep.split(" then ")]
    if parts[-1] == "first":
        parts.pop()
    if not parts or parts[-1] != "id":
        parts.append("id")
    if any(":file." in part for part in parts):
        raise ConfigError(f"keep = `{keep}`: rows of a data frame have no file")
    return " then ".join(parts)


def _work(frame: DataFrame, work: PathLike | None) -> str:
    """The folder of a job: as given, else a temporary one, or one in Spark's checkpoint folder."""
    if work is not None:
        return os.fspath(work)
    context = frame.sparkSession.sparkContext
    if context.master.split("[")[0] == "local":
        folder = tempfile.mkdtemp(prefix="lookalike-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return folder
    checkpoints = context._jsc.sc().getCheckpointDir()
    if checkpoints.isEmpty():
        raise InputError(
            "give work=…, a folder that driver and executors can write, or set one for all jobs with "
            "sparkContext.setCheckpointDir"
        )
    return f"{checkpoints.get()}/lookalike-{uuid.uuid4().hex}"


def _free(frame: DataFrame, name: str) -> str:
    while name in frame.columns:
        name = f"lookalike_{name}"
    return name


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def _digest(content: bytes) -> str:
    import hashlib

    return hashlib.sha256(content).hexdigest()
