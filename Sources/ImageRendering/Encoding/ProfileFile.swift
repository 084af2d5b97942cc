import Glibc
import SystemIO

/// Reads the ICC file that an output names. The path comes from a manifest: it may lead to a named pipe, a device or a
/// file of any size.
enum ProfileFile {
  /// Why an ICC file isn't read.
  enum Failure: Error {
    /// It can't be opened or read.
    case unreadable
    /// It isn't read for this reason, which follows the file's name in a message.
    case refused(String)
  }

  /// Reads a whole file of at most ``ColorProfile/mostBytes`` bytes.
  static func contents(of path: String) throws(Failure) -> [UInt8] {
    let file = try opened(path)
    do throws(SystemError) { return try FileIO.readToEnd(file.number, limit: ColorProfile.mostBytes) } catch {
      // The file has grown since.
      throw error.code == EFBIG ? tooLong : .unreadable
    }
  }

  /// Why a file isn't given to a worker process, which could fill the disk with it; nil if it may be, or can't be
  /// opened: the worker reports that.
  static func refusal(ofFile path: String) -> String? {
    do throws(Failure) { _ = try opened(path) } catch {
      if case .refused(let reason) = error { return reason }
    }
    return nil
  }

  private static let tooLong = Failure.refused("has more than \(ColorProfile.mostBytes >> 20) MiB")

  private static func opened(_ path: String) throws(Failure) -> FileDescriptor {
    let file: FileDescriptor
    // O_NONBLOCK: opening a named pipe must not wait for its writer.
    do throws(SystemError) { file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK) } catch {
      throw .unreadable
    }
    let status = file.status
    guard status.st_mode & S_IFMT == S_IFREG else { throw .refused("isn't a regular file") }
    guard status.st_size <= ColorProfile.mostBytes else { throw tooLong }
    return file
  }
}
