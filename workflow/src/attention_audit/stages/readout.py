"""corpus, vocabulary, weights (, readout of another model) -> readouts, one a seed and split (, heads, one a seed)."""

from __future__ import annotations

from attention_audit.artefacts.parquet import write_batches, write_table
from attention_audit.columns.readout import HEAD, READOUT
from attention_audit.readout import head_columns, take_head, take_readout
from attention_audit.stages.job import Job
from attention_audit.stages.loading import (
    build_model,
    build_split,
    by_split,
    load_weights,
    prepare_device,
    read_material,
)
from attention_audit.training.settings import ModelSettings


def run(job: Job) -> None:
    """Run the trained models over every split; the heads of models of pairs are written too."""
    settings = ModelSettings.model_validate(job.settings)
    device = prepare_device(settings)
    material = read_material(job.input("corpus"), job.input("vocabulary"), settings.architecture)
    references = by_split(job.inputs.get("reference", []))
    splits = {name: build_split(texts, device, references.get(name)) for name, texts in material.splits.items()}
    outputs, heads = iter(job.outputs["readouts"]), iter(job.outputs.get("heads", []))
    for seed, weights in zip(settings.seeds, job.inputs["weights"], strict=True):
        model = build_model(material, settings.architecture, seed).to(device)
        load_weights(model, weights)
        for name, split in splits.items():
            readout = take_readout(model, split, material.splits[name].ids)
            write_batches(next(outputs), READOUT, readout.tables(), job.provenance, seed)
        if "heads" in job.outputs:
            write_table(next(heads), HEAD, head_columns(take_head(model)), job.provenance, seed)
        job.report(f"seed {seed}: {', '.join(f'{name} {len(split)}' for name, split in splits.items())} texts")
