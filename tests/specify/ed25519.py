"""Ed25519 signatures (RFC 8032) in plain Python, to play a security key that no test machine has."""

from __future__ import annotations

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
Point = tuple[int, int, int, int]


def _recover_x(y: int) -> int:
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P)
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return P - x if x % 2 else x


_Y = 4 * pow(5, P - 2, P) % P
BASE: Point = (_recover_x(_Y), _Y, 1, _recover_x(_Y) * _Y % P)


def _add(p: Point, q: Point) -> Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(scalar: int, point: Point) -> Point:
    total: Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            total = _add(total, point)
        point, scalar = _add(point, point), scalar >> 1
    return total


def _encode(point: Point) -> bytes:
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _expand(seed: bytes) -> tuple[int, bytes]:
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    return scalar, digest[32:]


def public_key(seed: bytes) -> bytes:
    """The 32-byte public key of a 32-byte ``seed``."""
    return _encode(_times(_expand(seed)[0], BASE))


def sign(seed: bytes, message: bytes) -> bytes:
    """The 64-byte signature of ``message``."""
    scalar, prefix = _expand(seed)
    public = public_key(seed)
    nonce = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % ORDER
    point = _encode(_times(nonce, BASE))
    challenge = int.from_bytes(hashlib.sha512(point + public + message).digest(), "little") % ORDER
    return point + ((nonce + challenge * scalar) % ORDER).to_bytes(32, "little")
