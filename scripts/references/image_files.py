"""Small image files of every kind that the decoders read, written byte by byte where Pillow cannot write them."""
import io
import struct
import zlib

import numpy
from PIL import Image

PNG_START = b"\x89PNG\r\n\x1a\n"
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
# First column and row, and steps between columns and rows, of the passes of an interlaced file (PNG 1.2, 8.2).
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def photo(height, width, channels=3, top=255, seed=0):
    """Smooth waves with a little noise, uint16 [height, width, channels]: has edges, flat parts and all levels."""
    draw = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[0:height, 0:width]
    planes = [numpy.sin(x / (3.0 + c)) * numpy.cos(y / (5.0 - c)) + (x + y * (c + 1)) % 40 / 40 for c in range(channels)]
    image = numpy.stack(planes, -1) + draw.normal(0, 0.05, (height, width, channels))
    image = (image - image.min()) / (image.max() - image.min())
    return numpy.round(image * top).astype(numpy.uint16)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_rows(samples, depth):
    """Rows with filter 0, or none for an empty pass of an interlaced file."""
    if samples.size == 0:
        return b""
    rows = []
    for row in samples.reshape(len(samples), -1):
        if depth == 16:
            data = row.astype(">u2").tobytes()
        else:
            bits = "".join(format(int(v), f"0{depth}b") for v in row)
            bits += "0" * (-len(bits) % 8)
            data = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
        rows.append(b"\0" + data)
    return b"".join(rows)


def png(samples, depth, colour, interlaced=False, before=b"", after=b""):
    height, width = samples.shape[:2]
    passes = [samples[y::dy, x::dx] for x, y, dx, dy in ADAM7] if interlaced else [samples]
    data = b"".join(png_rows(part, depth) for part in passes)
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced))
    return (PNG_START + chunk(b"IHDR", header) + before + chunk(b"IDAT", zlib.compress(data, 9)) + after +
            chunk(b"IEND", b""))


def png_files():
    palette = photo(1, 256, seed=3)[0].astype(numpy.uint8)
    for colour, name in ((GREY, "grey"), (RGB, "rgb"), (PALETTE, "palette"), (GREY_ALPHA, "grey_alpha"), (RGBA, "rgba")):
        depths = {GREY: (1, 2, 4, 8, 16), PALETTE: (1, 2, 4, 8)}.get(colour, (8, 16))
        for depth in depths:
            samples = photo(13, 19, CHANNELS[colour], (1 << depth) - 1, seed=depth)
            if colour == GREY and depth == 16:
                samples[::2] //= 300  # levels that fit into 8 bits stay as they are
            entries = palette[:1 << depth].tobytes()
            before = chunk(b"PLTE", entries) if colour == PALETTE else b""
            yield f"{name}_{depth}.png", png(samples, depth, colour, before=before)
            yield f"{name}_{depth}_interlaced.png", png(samples, depth, colour, True, before)
    samples = photo(13, 19, 1, 255, seed=5)
    entries = chunk(b"PLTE", palette.tobytes())
    yield "palette_transparent.png", png(samples, 8, PALETTE, before=entries + chunk(b"tRNS", bytes(range(0, 250, 5))))
    yield "palette_short.png", png(samples % 20, 8, PALETTE, before=chunk(b"PLTE", palette[:16].tobytes()))
    yield "grey_transparent.png", png(samples, 8, GREY, before=chunk(b"tRNS", struct.pack(">H", 100)))
    yield "rgb_transparent.png", png(photo(13, 19), 8, RGB, before=chunk(b"tRNS", struct.pack(">3H", 100, 0, 0)))
    yield "one_pixel.png", png(photo(1, 1) + 7, 8, RGB)
    # Where PNG files keep the orientation: EXIF data before or after the pixels, as text, and XMP.
    exif = exif_data(6)
    profile = f"\nexif\n{len(exif):8}\n{exif[:20].hex()}\n{exif[20:].hex()}\n".encode()
    xmp = b"<x:xmpmeta><rdf:Description tiff:Orientation=\"8\"/></x:xmpmeta>"
    places = {"exif_before": dict(before=chunk(b"eXIf", exif[6:])), "exif_after": dict(after=chunk(b"eXIf", exif[6:])),
              "exif_text": dict(before=chunk(b"tEXt", b"Raw profile type exif\0" + profile)),
              "exif_packed_text": dict(after=chunk(b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(profile))),
              "xmp": dict(before=chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + xmp)),
              "xmp_packed": dict(after=chunk(b"iTXt", b"XML:com.adobe.xmp\0\1\0\0\0" + zlib.compress(xmp))),
              "exif_over_xmp": dict(before=chunk(b"eXIf", exif[6:]) + chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + xmp))}
    for name, place in places.items():
        yield f"oriented_{name}.png", png(photo(7, 11, seed=9), 8, RGB, **place)


def exif_data(orientation, order=">", kind=3, count=1):
    """One directory with another tag before the orientation's; a count of 3 does not fit into the entry."""
    mark = b"MM\0*" if order == ">" else b"II*\0"
    value = struct.pack(order + {3: "H", 4: "I"}[kind] * count, *[orientation] * count)
    later = b""
    if len(value) > 4:
        value, later = struct.pack(order + "I", 8 + 2 + 24 + 4), value
    entries = struct.pack(order + "HHII", 0x0100, 4, 1, 1234) + struct.pack(order + "HHI", 0x0112, kind, count) + \
        value.ljust(4, b"\0")
    return b"Exif\0\0" + mark + struct.pack(order + "IH", 8, 2) + entries + struct.pack(order + "I", 0) + later


def jpeg(image, **options):
    file = io.BytesIO()
    image.save(file, "JPEG", **{"quality": 80, **options})
    return file.getvalue()


def with_sampling(data, sampling):
    """Of another subsampling of as many blocks: the first component's factors in the frame header."""
    frame = data.index(b"\xff\xc0")
    return data[:frame + 11] + bytes([sampling]) + data[frame + 12:]


def jpeg_files():
    picture = Image.fromarray(photo(37, 51, seed=11).astype(numpy.uint8))
    block = Image.fromarray(photo(64, 64, seed=12).astype(numpy.uint8))
    for name, options in {"444": {"subsampling": 0}, "422": {"subsampling": 1}, "420": {"subsampling": 2},
                          "progressive": {"progressive": True, "subsampling": 2}, "restart": {"restart_marker_rows": 1},
                          "keep_rgb": {"keep_rgb": True}, "quality_10": {"quality": 10}}.items():
        yield f"{name}.jpg", jpeg(picture, **options)
    yield "440.jpg", with_sampling(jpeg(block, subsampling=1), 0x12)
    yield "411.jpg", with_sampling(jpeg(block, subsampling=2), 0x41)
    yield "grey.jpg", jpeg(picture.convert("L"))
    yield "grey_progressive.jpg", jpeg(picture.convert("L"), progressive=True)
    inks = Image.fromarray(photo(20, 27, 4, seed=13).astype(numpy.uint8), "CMYK")
    cmyk = jpeg(inks)
    yield "cmyk.jpg", cmyk
    adobe = cmyk.index(b"Adobe") + 11  # the colour transform: 0 for none
    yield "ycck.jpg", cmyk[:adobe] + b"\2" + cmyk[adobe + 1:]
    small = Image.fromarray(photo(16, 24, seed=14).astype(numpy.uint8))
    for orientation in range(10):
        yield f"oriented_{orientation}.jpg", jpeg(small, quality=60, exif=exif_data(orientation))
    yield "oriented_little_endian.jpg", jpeg(small, quality=60, exif=exif_data(5, "<"))
    yield "oriented_long.jpg", jpeg(small, quality=60, exif=exif_data(7, "<", 4))
    yield "oriented_elsewhere.jpg", jpeg(small, quality=60, exif=exif_data(3, ">", 3, 3))
    yield "oriented_xmp.jpg", jpeg(small, quality=60, xmp=b"<x><tiff:Orientation>6</tiff:Orientation></x>")


def bombs():
    """Files that claim far more pixels than they have: of no use to Pillow, and to be refused before decoding."""
    bomb = png(photo(1, 1), 8, RGB)
    for name, width, height in (("bomb.png", 60000, 60000), ("bomb_long.png", 1000001, 1)):
        header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, RGB, 0, 0, 0))
        yield name, PNG_START + header + bomb[len(PNG_START) + len(header):]
    data = jpeg(Image.fromarray(photo(8, 8).astype(numpy.uint8)))
    frame = data.index(b"\xff\xc0")
    yield "bomb.jpg", data[:frame + 5] + struct.pack(">HH", 65000, 65000) + data[frame + 9:]
