import CVips
import Synchronization

/// Bytes that libvips reads through a closure, as it wants them: from a stream, an archive, a network.
///
///     let source = CustomSource { buffer in archive.read(into: buffer) }
///     let image = try VipsOperation("pngload_source", ["source": .source(source)]).image()
///
/// libvips reads a source that can't seek once from its beginning, and keeps what it needs again itself.
/// The closure lives as long as libvips holds the source, which may be long after this object is gone.
///
/// `@unchecked Sendable`: what it holds is set once, by its initialiser, and libvips counts the reference atomically.
public final class CustomSource: @unchecked Sendable {
  /// Fills the buffer from its beginning and says with how many bytes: 0 at the end, below 0 on failure.
  public typealias Read = @Sendable (UnsafeMutableRawBufferPointer) -> Int

  // Counted by GObject; the closure's box is released when libvips lets go of the signal.
  let pointer: UnsafeMutablePointer<VipsSourceCustom>

  /// A source that reads through `read`, called by whichever thread evaluates the picture, one call at a time.
  public init(_ read: @escaping Read) throws(VipsError) {
    try VipsRuntime.start()
    guard let pointer = vips_source_custom_new() else {
      throw VipsError(operation: "source", text: VipsError.takeBuffer())
    }
    self.pointer = pointer
    let handler:
      @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int64, UnsafeMutableRawPointer?)
        -> Int64 = { _, buffer, count, box in
          guard let buffer, let box else { return -1 }
          let read = Unmanaged<ReadBox>.fromOpaque(box).takeUnretainedValue().read
          return Int64(read(UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))))
        }
    g_signal_connect_data(
      pointer, "read", unsafeBitCast(handler, to: GCallback.self),
      Unmanaged.passRetained(ReadBox(read)).toOpaque(),
      { box, _ in if let box { Unmanaged<ReadBox>.fromOpaque(box).release() } }, G_CONNECT_DEFAULT)
  }

  deinit { g_object_unref(pointer) }

  private final class ReadBox: Sendable {
    let read: Read
    init(_ read: @escaping Read) { self.read = read }
  }
}

/// Where libvips writes bytes through a closure.
///
///     let target = try CustomTarget { bytes in socket.send(bytes) }
///     _ = try VipsOperation("pngsave_target", ["in": .image(image), "target": .target(target)])
///
/// `@unchecked Sendable`: as ``CustomSource``.
public final class CustomTarget: @unchecked Sendable {
  /// Takes bytes and says how many of them; below 0 on failure.
  public typealias Write = @Sendable (UnsafeRawBufferPointer) -> Int

  let pointer: UnsafeMutablePointer<VipsTargetCustom>

  /// A target that writes through `write`, called in order, by the thread that saves.
  public init(_ write: @escaping Write) throws(VipsError) {
    try VipsRuntime.start()
    guard let pointer = vips_target_custom_new() else {
      throw VipsError(operation: "target", text: VipsError.takeBuffer())
    }
    self.pointer = pointer
    let handler:
      @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int64, UnsafeMutableRawPointer?) -> Int64 =
        { _, bytes, count, box in
          guard let bytes, let box else { return -1 }
          let write = Unmanaged<WriteBox>.fromOpaque(box).takeUnretainedValue().write
          return Int64(write(UnsafeRawBufferPointer(start: bytes, count: Int(count))))
        }
    g_signal_connect_data(
      pointer, "write", unsafeBitCast(handler, to: GCallback.self),
      Unmanaged.passRetained(WriteBox(write)).toOpaque(),
      { box, _ in if let box { Unmanaged<WriteBox>.fromOpaque(box).release() } }, G_CONNECT_DEFAULT)
  }

  deinit { g_object_unref(pointer) }

  private final class WriteBox: Sendable {
    let write: Write
    init(_ write: @escaping Write) { self.write = write }
  }
}
