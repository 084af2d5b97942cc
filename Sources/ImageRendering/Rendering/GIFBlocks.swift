import SystemIO

/// Walks the blocks of a GIF file (GIF89a specification) to detect truncation.
///
/// libvips doesn't report it: a truncated file silently loses its last frames, and a frame whose compressed data
/// ends early is black below.
struct GIFBlocks: ~Copyable {
  struct Finding: Hashable {
    /// The number of frames whose blocks are complete.
    var frames = 0
    /// Whether the file has its trailer.
    var isWhole = false
    /// The first frame, from 1, whose data doesn't cover all its pixels; nil if there is none.
    var shortFrame: Int?
  }

  private var file: FileBytes
  private var place = 0

  /// Why bytes were missing that aren't past the end; nil if all could be read.
  var failure: SystemError? { file.failure }

  /// - Parameter file: Must begin with GIF's signature.
  init(_ file: consuming FileBytes) { self.file = file }

  /// - Parameter countingPixels: Whether to check the compressed data as well as the blocks.
  mutating func walk(countingPixels: Bool) -> Finding {
    var finding = Finding()
    guard let flags = file.byte(10) else { return finding }
    place = 13 + Self.paletteSize(flags)
    while let kind = file.byte(place) {
      switch kind {
      case 0x21:
        place += 2
        guard skipData() else { return finding }
      case 0x2C:
        guard let width = file.number(place + 5, 2, littleEndian: true),
          let height = file.number(place + 7, 2, littleEndian: true), let flags = file.byte(place + 9)
        else { return finding }
        place += 10 + Self.paletteSize(flags)
        guard let codeSize = file.byte(place) else { return finding }
        place += 1
        if countingPixels, finding.shortFrame == nil {
          let start = place
          if !hasPixels(width * height, codeSize: Int(codeSize)) { finding.shortFrame = finding.frames + 1 }
          place = start
        }
        guard skipData() else { return finding }
        finding.frames += 1
      case 0x3B:
        finding.isWhole = true
        return finding
      default:
        // Some writers leave zeros between blocks. A decoder can't resume after anything else.
        guard kind == 0 else { return finding }
        place += 1
      }
    }
    return finding
  }

  private static func paletteSize(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
  }

  /// Skips data sub-blocks up to and including the empty terminator.
  private mutating func skipData() -> Bool {
    while let length = file.byte(place) {
      place += 1 + Int(length)
      if length == 0 { return true }
    }
    return false
  }

  /// Whether the frame's LZW codes (GIF89a, appendix F) decode to at least `wanted` pixels. Only the length of
  /// each code's string is tracked, not its pixels.
  private mutating func hasPixels(_ wanted: Int, codeSize: Int) -> Bool {
    guard (1...11).contains(codeSize) else { return false }
    let clear = 1 << codeSize
    var lengths = [Int](repeating: 1, count: 4096)
    var (next, width, previous) = (clear + 2, codeSize + 1, -1)
    var (bits, bitCount, pixels) = (0, 0, 0)
    var left = 0
    while pixels < wanted {
      while bitCount < width {
        if left == 0 {
          guard let length = file.byte(place), length > 0 else { return false }
          left = Int(length)
          place += 1
        }
        guard let byte = file.byte(place) else { return false }
        place += 1
        left -= 1
        bits |= Int(byte) << bitCount
        bitCount += 8
      }
      let code = bits & (1 << width - 1)
      bits >>= width
      bitCount -= width
      if code == clear {
        (next, width, previous) = (clear + 2, codeSize + 1, -1)
        continue
      }
      // The end code, or a code that isn't defined yet.
      guard code != clear + 1, code < next || code == next && previous >= 0 else { return false }
      if previous >= 0, next < 4096 {
        lengths[next] = lengths[previous] + 1
        next += 1
        if next == 1 << width, width < 12 { width += 1 }
      }
      pixels += code < clear ? 1 : lengths[code]
      previous = code
    }
    return true
  }
}
