"""What people do with OpenCV today to get one clean picture of a dark burst. Run by tools/peers; one method a process.

    python tools/peer-methods.py METHOD OUT.png FRAME...

The first frame is the reference. METHOD is one of:
    nlm       the first frame alone, fastNlMeansDenoisingColored
    mertens   AlignMTB, then MergeMertens (OpenCV's own way with bursts and brackets)
    ecc       each frame aligned by ECC (a homography, found at a quarter and refined at half size), then the mean
    ecc-nlm   the same, then fastNlMeansDenoisingColored
"""

import sys

import cv2
import numpy


def homography(reference, frame):
    """From the reference's pixels to the frame's."""
    matrix = numpy.eye(3, dtype=numpy.float32)
    for scale, iterations in ((0.25, 60), (0.5, 30)):
        small = [
            cv2.resize(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            for picture in (reference, frame)
        ]
        to_small = numpy.diag([scale, scale, 1]).astype(numpy.float32)
        start = (to_small @ matrix @ numpy.linalg.inv(to_small)).astype(numpy.float32)
        stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, iterations, 1e-5)
        _, found = cv2.findTransformECC(small[0], small[1], start, cv2.MOTION_HOMOGRAPHY, stop, None, 5)
        matrix = (numpy.linalg.inv(to_small) @ found @ to_small).astype(numpy.float32)
    return matrix


def aligned(frames):
    height, width = frames[0].shape[:2]
    yield frames[0]
    for frame in frames[1:]:
        yield cv2.warpPerspective(
            frame, homography(frames[0], frame), (width, height),
            flags=cv2.INTER_LANCZOS4 | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE)


def mean(frames):
    total, count = 0, 0
    for frame in frames:
        total = total + frame.astype(numpy.float32)
        count += 1
    return numpy.clip(total / count + 0.5, 0, 255).astype(numpy.uint8)


def mertens(frames):
    cv2.createAlignMTB().process(frames, frames)
    return numpy.clip(cv2.createMergeMertens().process(frames) * 255 + 0.5, 0, 255).astype(numpy.uint8)


def cleaned(picture, strength):
    return cv2.fastNlMeansDenoisingColored(picture, None, strength, strength, 7, 21)


METHODS = {
    "ecc": lambda frames: mean(aligned(frames)),
    "mertens": mertens,
    # The strengths that score best on the sample burst, of 10, 20, 30, 40 and of 4, 6, 8, 10.
    "nlm": lambda frames: cleaned(frames[0], 20),
    "ecc-nlm": lambda frames: cleaned(mean(aligned(frames)), 8),
}


def main():
    method, out, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    if method == "nlm":
        files = files[:1]
    frames = [cv2.imread(file, cv2.IMREAD_COLOR) for file in files]
    cv2.imwrite(out, METHODS[method](frames))


main()
