"""Made-up input files for programs of a suite whose own are not part of it.

The same on every machine: random numbers with a fixed seed.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import random
import string
import struct


def bitmap(folder, numbers):
    """input.bmp: 512 x 512 pixels of 24 bits."""
    pixels = numbers.randbytes(512 * 512 * 3)
    header = struct.pack("<2sIHHI", b"BM", 54 + len(pixels), 0, 0, 54)
    header += struct.pack("<IiiHHIIiiII", 40, 512, 512, 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
    (folder / "input.bmp").write_bytes(header + pixels)


def bigrams(folder, numbers):
    """input.txt: a score for each pair of letters."""
    pairs = itertools.product(string.ascii_lowercase, repeat=2)
    (folder / "input.txt").write_text("".join(
        f"{a}{b} {numbers.uniform(0, 5):.4f}\n" for a, b in pairs))


def noise(folder, numbers):
    """input.bin: a million bytes."""
    (folder / "input.bin").write_bytes(numbers.randbytes(1_000_000))


def values(folder, numbers):
    """input.txt: 26280 rows of 21 numbers."""
    (folder / "input.txt").write_text("".join(
        " ".join(f"{numbers.gauss(0, 1):.6f}" for _ in range(21)) + "\n" for _ in range(26280)))


def letters(numbers, count, alphabet="ACGT"):
    return "".join(numbers.choices(alphabet, k=count))


def mutated(numbers, text, share):
    return "".join(numbers.choice("ACGT") if numbers.random() < share else c for c in text)


def read_pairs(folder, numbers):
    """input.tsv: 30000 reads of 100 bases, each with a reference that differs somewhat."""
    with (folder / "input.tsv").open("w") as file:
        for _ in range(30000):
            read = letters(numbers, 100)
            file.write(f"{read}\t{mutated(numbers, read, numbers.choice((0.01, 0.05, 0.3)))}\n")


def sequences(folder, numbers):
    """input.fasta: 2000 sequences, many of them alike."""
    parents = [letters(numbers, numbers.randrange(300, 1200)) for _ in range(400)]
    with (folder / "input.fasta").open("w") as file:
        for i in range(2000):
            file.write(f">s{i}\n{mutated(numbers, numbers.choice(parents), 0.01)}\n")


def lines(folder, numbers):
    """input.txt: 2000 short lines of few letters."""
    (folder / "input.txt").write_text("".join(
        letters(numbers, numbers.randrange(1, 12), "ROME") + "\n" for _ in range(2000)))


def traces(folder, numbers):
    """input.su: 20 midpoints of 40 seismic traces, each 1000 samples at 2 ms."""
    header = bytearray(240)
    with (folder / "input.su").open("wb") as file:
        for midpoint, trace in itertools.product(range(20), range(40)):
            struct.pack_into("<i", header, 20, midpoint)
            struct.pack_into("<hiiii", header, 70, 1, midpoint * 10 - trace, 0,
                             midpoint * 10 + trace, 0)
            struct.pack_into("<HH", header, 114, 1000, 2000)
            file.write(header)
            file.write(struct.pack("<1000f", *(numbers.gauss(0, 1) for _ in range(1000))))


def twisters(folder, numbers):
    """data: the parameters of 4096 generators of random numbers, for the GPU and for the host."""
    (folder / "data").mkdir(exist_ok=True)
    with (folder / "data/MersenneTwister.dat").open("wb") as gpu, \
            (folder / "data/MersenneTwister.raw").open("wb") as host:
        for _ in range(4096):
            a, b, c = (numbers.getrandbits(32) for _ in range(3))
            gpu.write(struct.pack("<4I", a, b, c, 0))
            host.write(struct.pack("<I4i3I4i2Ii4x", a, 9, 19, 1, 32, 0xffffffff, 0xfffffffe, 1,
                                   12, 7, 15, 18, b, c, 0))


MAKERS = {maker.__name__: maker for maker in (bitmap, bigrams, noise, values, read_pairs, sequences,
                                              lines, traces, twisters)}


def make(name, folder):
    MAKERS[name](folder, random.Random(name))
