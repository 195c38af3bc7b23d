"""The metadata of a checkpoint is read without its weights, and nothing hostile is believed."""

import json

import pytest

from infx.errors import InputError
from infx.store import checkpoint
from infx.store.checkpoint import read_checkpoint


def tensors(path, **shapes):
    """Write a file of safetensors whose weights are missing: only its head is ever read."""
    head = {name.replace("__", "."): {"dtype": kind, "shape": shape, "data_offsets": [0, 0]}
            for name, (kind, shape) in shapes.items()}  # fmt: skip
    head["__metadata__"] = {"format": "pt"}
    data = json.dumps(head).encode()
    path.write_bytes(len(data).to_bytes(8, "little") + data)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "config.json").write_text('{"num_hidden_layers": 2, "dtype": "bfloat16"}')
    return tmp_path


def test_stored_types_are_counted_and_the_drafts_apart(folder):
    tensors(
        folder / "a.safetensors",
        model__layers__0__q=("U8", [4, 8]),
        model__layers__1__norm=("BF16", [8]),
        model__layers__2__eh_proj=("BF16", [3, 5]),
    )
    tensors(folder / "b.safetensors", mtp__fc__weight=("F8_E4M3", [7]), scale=("F32", []))
    found = read_checkpoint(folder, repository="acme/Toy", revision="abc")
    assert found.tensors == {"BF16": 23, "F32": 1, "F8_E4M3": 7, "U8": 32}
    assert found.draft_tensors == {"BF16": 15, "F8_E4M3": 7}
    assert (found.repository, found.revision, found.quantization) == ("acme/Toy", "abc", None)


def test_quantization_stands_in_the_configuration_or_beside_it(folder):
    (folder / "hf_quant_config.json").write_text('{"quantization": {"quant_algo": "NVFP4"}}')
    assert read_checkpoint(folder).quantization == {"quant_algo": "NVFP4"}
    (folder / "config.json").write_text('{"quantization_config": {"quant_method": "fp8"}}')
    assert read_checkpoint(folder).quantization == {"quant_method": "fp8"}


def test_a_nested_configuration_has_the_layers(folder):
    (folder / "config.json").write_text('{"text_config": {"num_hidden_layers": 1}}')
    tensors(folder / "a.safetensors", model__layers__1__q=("F16", [3]))
    assert read_checkpoint(folder).draft_tensors == {"F16": 3}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "ends inside its head"),
        (b"\x05\0\0\0\0\0\0\0{}", "ends inside its head"),
        (b"\xff" * 8, "larger than"),
        (b"\x02\0\0\0\0\0\0\0[]", "its head is no object"),
        (b"\x04\0\0\0\0\0\0\0nope", "no file of safetensors"),
    ],
)
def test_a_head_that_is_none_is_refused(folder, data, said):
    (folder / "a.safetensors").write_bytes(data)
    with pytest.raises(InputError, match=said):
        read_checkpoint(folder)


@pytest.mark.parametrize(
    "tensor",
    [
        {"dtype": "BF16"},
        {"dtype": 3, "shape": [1]},
        {"dtype": "BF16", "shape": [-1]},
        {"dtype": "BF16", "shape": [True]},
        {"dtype": "BF16", "shape": ["3"]},
        {"dtype": "BF16", "shape": [1] * 17},
        {"dtype": "BF16", "shape": [1 << 40, 1 << 40]},
        "BF16",
    ],
)
def test_a_tensor_has_a_type_and_a_shape(folder, tensor):
    data = json.dumps({"w": tensor}).encode()
    (folder / "a.safetensors").write_bytes(len(data).to_bytes(8, "little") + data)
    with pytest.raises(InputError, match="'w'"):
        read_checkpoint(folder)


def test_all_bad_files_are_told_together(folder):
    for name in ("a", "b"):
        (folder / f"{name}.safetensors").write_bytes(b"")
    with pytest.raises(InputError) as caught:
        read_checkpoint(folder)
    assert len(caught.value.problems) == 2


def test_caps_hold(folder, monkeypatch):
    for number in range(3):
        tensors(folder / f"{number}.safetensors", a=("BF16", [1]), b=("BF16", [1]))
    monkeypatch.setattr(checkpoint, "MAX_TENSORS", 5)
    with pytest.raises(InputError, match="more than 5 tensors"):
        read_checkpoint(folder)
    monkeypatch.setattr(checkpoint, "MAX_FILES", 2)
    with pytest.raises(InputError, match="more than 2 files"):
        read_checkpoint(folder)


def test_a_folder_without_a_configuration_is_no_checkpoint(tmp_path):
    with pytest.raises(InputError, match=r"config\.json: the file cannot be read"):
        read_checkpoint(tmp_path)
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(InputError, match="holds no object"):
        read_checkpoint(tmp_path)


def test_some_of_the_files_that_the_index_names_do_not_count_for_all(folder):
    index = {"weight_map": {"a": "a.safetensors", "b": "b.safetensors", "c": "b.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert read_checkpoint(folder).tensors == {}
    tensors(folder / "a.safetensors", a=("BF16", [2]))
    with pytest.raises(InputError, match=r"its index names what is not there: b\.safetensors"):
        read_checkpoint(folder)
    tensors(folder / "b.safetensors", b=("BF16", [3]))
    assert read_checkpoint(folder).tensors == {"BF16": 5}
    (folder / "model.safetensors.index.json").write_text("[]")
    with pytest.raises(InputError, match="no index of files of tensors"):
        read_checkpoint(folder)
