import ImageFilters
import Vips

/// What a source's header says of its size: enough to lay a pipeline, and to foretell what one would cost.
struct SourceShape: Hashable, Sendable {
  let format: ImageFormat
  /// One frame, before the orientation is applied.
  let stored: Extent
  /// All that the file has.
  let frames: Int
  /// The EXIF orientation, 1 to 8.
  let orientation: Int

  /// One frame's size as a viewer sees it.
  var upright: Extent { isTurned ? Extent(width: stored.height, height: stored.width) : stored }

  /// Whether the orientation swaps width and height.
  var isTurned: Bool { orientation >= 5 }

  /// Whether it is made of lines and not of pixels.
  var isDrawing: Bool { format == .svg || format == .pdf }

  /// Checks an animation before all of its frames are decoded.
  func check(frames: Int, within limits: RenderLimits) throws(JobError) {
    guard self.frames <= limits.maxFrames || frames <= limits.maxFrames else {
      throw JobError(
        code: .tooManyFrames, stage: .decode, .frames(self.frames, limit: limits.maxFrames),
        message: "the picture has \(self.frames) frames, more than the limit of \(limits.maxFrames)")
    }
    let (pixels, overflows) = (stored.width * stored.height).multipliedReportingOverflow(by: frames)
    guard !overflows, pixels <= limits.maxPixels else {
      throw JobError(
        code: .tooManyPixels, stage: .decode,
        .sourcePixels(pixels, frames: frames, limit: limits.maxPixels),
        message:
          "the picture says it has \(frames) frames of \(stored.width)x\(stored.height) pixels, more than the "
          + "limit of \(limits.maxPixels) together")
    }
  }
}

extension SourceShape {
  /// The shape that facts from an earlier run tell of; nil for a format that is no longer known.
  init?(_ facts: SourceFacts) {
    guard let format = ImageFormat(rawValue: facts.format) else { return nil }
    let seen = Extent(width: facts.width, height: facts.height)
    let turned = facts.orientation >= 5
    self.init(
      format: format, stored: turned ? Extent(width: seen.height, height: seen.width) : seen,
      frames: facts.frames, orientation: facts.orientation)
  }
}

extension SourceFacts {
  /// The facts of a source of this shape.
  init(_ shape: SourceShape, hasAlpha: Bool) {
    self.init(
      format: shape.format.rawValue, width: shape.upright.width, height: shape.upright.height,
      frames: shape.frames, orientation: shape.orientation, hasAlpha: hasAlpha)
  }
}
