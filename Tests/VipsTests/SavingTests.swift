import Foundation
import Glibc
import TestSupport
import Testing

@testable import Vips

/// Files that savers write, and what becomes of a write that fails.
@Suite("Saving to files", .timeLimit(.minutes(8)))
struct SavingTests {
  private static let savers: [(name: String, arguments: VipsArguments)] = [
    ("jpegsave", [:]), ("jpegsave", ["interlace": true]), ("pngsave", [:]), ("pngsave", ["palette": true]),
    ("webpsave", [:]), ("gifsave", [:]), ("tiffsave", [:]), ("tiffsave", ["compression": "deflate"]),
    ("tiffsave", ["tile": true, "pyramid": true]), ("heifsave", ["compression": "av1"]),
  ]

  /// Of noise, so that no format makes it small.
  private static func image(_ side: Int) throws -> VipsImage {
    var random = SeededRandom(seed: 3)
    let pixels = (0..<side * side * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
    return try VipsImage(
      pixels: pixels, width: side, height: side, bands: 3, interpretation: .sRGB)
  }

  @Test("a file has the bytes of libvips' own saver", arguments: savers.indices)
  func sameBytes(index: Int) throws {
    let (saver, arguments) = Self.savers[index]
    guard try VipsRuntime.hasOperation(saver) else { return }
    let directory = try TestDirectory("saving")
    let image = try Self.image(60)
    try image.save(saver, to: directory["own"], arguments)
    let theirs: VipsArguments = ["in": .image(image), "filename": .string(directory["theirs"])]
    _ = try VipsOperation(saver, theirs.merging(arguments))
    #expect(
      FileManager.default.contents(atPath: directory["own"])
        == FileManager.default.contents(atPath: directory["theirs"]))
  }

  @Test("a file on a full disk fails, whatever the codec forgets", arguments: savers.indices)
  func fullDisk(index: Int) throws {
    let (saver, arguments) = Self.savers[index]
    guard try VipsRuntime.hasOperation(saver) else { return }
    // Every write to it fails as on a full disk.
    let image = try Self.image(100)
    let error = try #require(Sample.failure { try image.save(saver, to: "/dev/full", arguments) }, "\(saver)")
    #expect(error.failedWrite == ENOSPC, "\(saver): \(error)")
    #expect(error.isCertain && error.text.contains("/dev/full") && error.operation == saver)
  }

  @Test("a file that exceeds the limit of file sizes at any byte fails, and a shorter one doesn't")
  func sizeLimit() async throws {
    // The limit is that of a whole process.
    await #expect(processExitsWith: .success) {
      do {
        signal(SIGXFSZ, SIG_IGN)
        let directory = try TestDirectory("saving")
        let image = try SavingTests.image(40)
        for (saver, arguments) in SavingTests.savers where try VipsRuntime.hasOperation(saver) {
          try image.save(saver, to: directory["whole"], arguments)
          var status = stat()
          guard stat(directory["whole"], &status) == 0 else { exit(2) }
          let size = Int(status.st_size)
          for limit in Set([1, size / 4, size / 2, size - 200, size - 9, size - 1, size]).sorted()
          where limit > 0 {
            var limits = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t.max)
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits) == 0 else { exit(3) }
            let error = Sample.failure { try image.save(saver, to: directory["cut"], arguments) }
            limits.rlim_cur = rlim_t.max
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits) == 0 else { exit(3) }
            if limit == size, error == nil { continue }
            // A pyramid's layers are files of their own, which libvips reads back.
            if error?.failedWrite == EFBIG || error != nil && saver == "tiffsave" { continue }
            print("\(saver), \(limit) of \(size) bytes: \(String(describing: error))")
            exit(1)
          }
        }
        exit(0)
      } catch {
        print(error)
        exit(4)
      }
    }
  }

  @Test("a directory that doesn't exist fails, and so does an operation without a target")
  func unwritable() throws {
    let image = try Self.image(10)
    let error = try #require(Sample.failure { try image.save("pngsave", to: "/no/such/file.png") })
    #expect(error.text.contains("/no/such/file.png"))
    #expect(Sample.failure { try image.save("nosuchsave", to: "/dev/null") } != nil)
    #expect(Sample.failure { try image.save("pngsave", to: "/dev/null", ["no-such": 1]) } != nil)
  }

  @Test("thousands of files at once, half of which fail, leave no descriptor and no memory behind")
  func stress() async throws {
    // A process of its own: other tests hold images and files of theirs.
    await #expect(processExitsWith: .success) {
      do {
        let directory = try TestDirectory("saving")
        let image = try SavingTests.image(24)
        // What libvips and its codecs load once and keep.
        for (saver, arguments) in SavingTests.savers where try VipsRuntime.hasOperation(saver) {
          try image.save(saver, to: directory["first"], arguments)
        }
        let fast = SavingTests.savers.filter { $0.name != "heifsave" }
        let real = directory.realPath
        let devices = try OpenDescriptors.count(below: "/dev")
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
          for round in 0..<500 {
            let (saver, arguments) = fast[(round + thread) % fast.count]
            let fails = round % 2 == 0
            let path = fails ? "/dev/full" : directory["\(thread)"]
            let error = Sample.failure { try image.save(saver, to: path, arguments) }
            guard (error?.failedWrite == ENOSPC) == fails, (error != nil) == fails else {
              print("\(saver) to \(path): \(String(describing: error))")
              exit(1)
            }
          }
        }
        // libvips' own threads let go of what they held a little after the last image: a leak is what stays.
        var patience = 200
        while try OpenDescriptors.count(below: real) > 0 || OpenDescriptors.count(below: "/dev") > devices {
          guard patience > 0 else { exit(3) }
          usleep(25_000)
          patience -= 1
        }
        exit(0)
      } catch {
        print(error)
        exit(4)
      }
    }
  }
}
