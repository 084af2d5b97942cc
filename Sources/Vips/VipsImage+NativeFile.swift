import CVips

/// Files in libvips' native format, which holds every pixel type and header field unchanged and is read by memory
/// mapping.
extension VipsImage {
  /// Computes all pixels and writes them to a file, whose extension must be `.v`.
  package func saveNative(to path: String) throws(VipsError) {
    _ = try VipsOperation("vipssave", ["in": .image(self), "filename": .string(path)])
  }

  /// Opens a file that ``saveNative(to:)`` has written. Never use it for a file from elsewhere: the loader believes the
  /// header, which is why libvips blocks it as untrusted.
  package convenience init(native path: String) throws(VipsError) {
    try VipsRuntime.setBlocked(false, operation: "VipsForeignLoadVips")
    let image = try VipsOperation("vipsload", ["filename": .string(path)]).image()
    // Map the whole file instead of a moving window: libvips 8.14's `arrayjoin` reads from windows that are unmapped
    // already. Mapping takes no memory, and it is safe here because no other thread has the image yet.
    try VipsErrorLock.capturingError("vipsload") { vips_image_wio_input(image.pointer) == 0 ? () : nil }
    self.init(sharing: image)
  }
}
