import Foundation
import Glibc
import ImageCaches
import Synchronization
import TestSupport
import Testing

@testable import ImageBatch

@Suite("Pruning", .timeLimit(.minutes(8)))
struct PruningTests {
  private let directory: TestDirectory
  private let store: DiskStore

  init() throws {
    directory = try TestDirectory("pruning")
    store = try .ephemeral()
  }

  private var pruning: Pruning {
    Pruning(
      store: store, fingerprints: FileDigestCache(store: store),
      sources: SourceFiles(store: store, records: false))
  }

  private func entry(_ name: String, _ digest: ContentDigest) -> RegistryEntry {
    RegistryEntry(
      path: directory.realPath + "/" + name,
      scope: OutputScope(manifest: "-", directory: directory.realPath, template: ""), digest: digest,
      key: ContentDigest(of: "key"), recipe: "{}", began: 1)
  }

  @Test("spares a file that is edited while others are read")
  func editedMeanwhile() throws {
    try directory.write("made", to: "first.png")
    // Zeros without blocks on the disk, which take a while to hash.
    let large = directory["large.png"]
    #expect(FileManager.default.createFile(atPath: large, contents: nil) && truncate(large, 1 << 29) == 0)
    let first = directory["first.png"]
    let isDone = Atomic(false)
    let wasEdited = Shared(false)
    let editor = Thread {
      while !isDone.load(ordering: .relaxed) {
        if Self.isOpen(large) {
          // Without O_CREAT: if the file is gone already, there is nothing to lose.
          let file = open(first, O_WRONLY | O_TRUNC)
          if file >= 0 {
            wasEdited.change { $0 = true }
            _ = write(file, "edited", 6)
            close(file)
          }
          return
        }
        usleep(200)
      }
    }
    editor.start()
    let fates = try pruning.run([
      entry("first.png", ContentDigest(of: "made")), entry("large.png", ContentDigest(of: "other")),
    ])
    isDone.store(true, ordering: .relaxed)
    guard case .kept? = fates.last?.fate else {
      Issue.record("\(fates)")
      return
    }
    if wasEdited.value { #expect(directory.text("first.png") == "edited") }
  }

  /// Whether this process has a file open.
  private static func isOpen(_ path: String) -> Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.contains { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)) == path
    }
  }

  @Test("removes what is as it was written, and keeps everything else", arguments: [false, true])
  func fates(runs: Bool) throws {
    for name in ["a/1.png", "a/2.png", "b/c/3.png"] { try directory.write(name, to: name) }
    try directory.write("edited", to: "4.png")
    #expect(symlink("4.png", directory["5.png"]) == 0)
    #expect(symlink("a", directory["link"]) == 0)
    let entries = ["a/1.png", "b/c/3.png", "4.png", "5.png", "6.png", "link/2.png"].map {
      entry($0, ContentDigest(of: $0 == "link/2.png" ? "a/2.png" : $0))
    }
    let expected = [true, true, false, false, false, false]
    let found =
      runs ? try pruning.run(entries).map(\.fate) : try pruning.fates(of: entries).map(\.fate)
    #expect(found.map { $0 == .removed } == expected)
    #expect(found[4] == .gone)
    let rest = ["4.png", "5.png", "a/2.png"]
    #expect(
      directory.names.filter { $0.hasSuffix(".png") && !$0.hasPrefix("link") }
        == (runs ? rest : rest.dropLast() + ["a/1.png", "a/2.png", "b/c/3.png"]))
    #expect(directory.names.contains("b") == !runs, "a directory that is empty goes")
  }
}
