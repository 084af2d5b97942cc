/// Bytes in the store, held: as long as a copy of this value or its pin lives, no process purges the object.
public struct StoredObject: Sendable {
  /// The SHA-256 of the bytes; it was checked in this run.
  public let digest: ContentDigest
  /// Where they are.
  public let path: String
  /// How many they are.
  public let byteCount: Int
  /// Keeps the object where it is.
  public let pin: ObjectPin
}

/// Keeps an object from being purged, by this process or by another: a shared `flock` on the object's file. The kernel
/// lets go of it when the process ends, however it ends.
public final class ObjectPin: Sendable {
  private let file: FileDescriptor

  package init(_ file: FileDescriptor) {
    self.file = file
  }
}
