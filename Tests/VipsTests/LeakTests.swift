import Glibc
import Testing

@testable import Vips

@Suite("Memory", .timeLimit(.minutes(8)))
struct LeakTests {
  @Test("nothing is left of images that are gone, whether their operations succeeded or failed")
  func noLeak() async {
    // A process of its own: other tests hold images of theirs.
    await #expect(processExitsWith: .success) {
      func work() throws {
        for index in 0..<40 {
          let image = try VipsImage.plain([Double(index), 2, 3, 200], width: 200, height: 150)
          let saved = try VipsOperation("pngsave_buffer", ["in": .image(image)]).bytes("buffer")
          let loaded = try VipsOperation("pngload_buffer", ["buffer": .bytes(saved)]).image()
          let small = try loaded.applying("premultiply").applying("resize", ["scale": 0.3])
            .applying("unpremultiply").materialized()
          let joined = try small.joiningBands([small]).editingMetadata { $0.set("delay", [1, 2, 3]) }
          _ = try VipsImage.stacked([joined, joined]).pixels()
          // Failures: while arguments are set, while it is built, while pixels are made.
          for attempt in [
            { try image.applying("resize", ["scale": 0.5, "speed": 3]) },
            { try image.cropped(x: 190, y: 0, width: 20, height: 10) },
            {
              try VipsOperation(
                "pngload_buffer", ["buffer": .bytes(Array(saved.prefix(150))), "fail-on": "truncated"]
              ).image().materialized()
            },
          ] as [() throws -> VipsImage] {
            do {
              _ = try attempt()
              exit(3)
            } catch is VipsError {}
          }
        }
      }
      do { try work() } catch { exit(2) }
      // libvips' own threads let go of what they held a little after the last image: a leak is what stays.
      var patience = 200
      while VipsRuntime.allocations != 0 || VipsRuntime.memory != 0, patience > 0 {
        usleep(25_000)
        patience -= 1
      }
      exit(VipsRuntime.allocations == 0 && VipsRuntime.memory == 0 ? 0 : 1)
    }
  }

  @Test("eight threads that fail at once each get their own words, or are told that they can't be sure")
  func errorsOfThreads() async {
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          for _ in 0..<200 {
            do throws(VipsError) {
              _ = try VipsOperation("pngload", ["filename": .string("/no/such/file-\(thread).png")])
              Issue.record("a file that isn't there was opened")
            } catch  where error.isCertain {
              #expect(error.text.contains("file-\(thread).png"), "\(thread): \(error.text)")
            } catch {
              let alone = VipsErrorLock.exclusive { () -> String in
                do throws(VipsError) {
                  _ = try VipsOperation("pngload", ["filename": .string("/no/such/file-\(thread).png")])
                  return ""
                } catch { return error.text }
              }
              #expect(alone.contains("file-\(thread).png"), "\(thread): \(alone)")
            }
          }
        }
      }
    }
  }
}
