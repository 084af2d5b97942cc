import Foundation
import TestSupport
import Testing

/// The libraries' DocC catalogues name what there is: all of it, and nothing else.
@Suite("DocC catalogues", .timeLimit(.minutes(8)))
struct DocsTests {
  static let libraries = [
    "Vips", "ImageFilters", "ImageCaches", "ImageDownloads", "ImageRendering", "ImagePipeline",
    "ImageBatch",
  ]
  private static let sources =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../Sources/"

  private func texts(of library: String, ending suffix: String) throws -> [String] {
    let folder = try #require(FileManager.default.enumerator(atPath: Self.sources + library))
    return try folder.compactMap { $0 as? String }.filter { $0.hasSuffix(suffix) }.sorted().map {
      try String(contentsOfFile: Self.sources + library + "/" + $0, encoding: .utf8)
    }
  }

  @Test("every link leads to a symbol of the library", arguments: libraries)
  func links(library: String) throws {
    let code = try texts(of: library, ending: ".swift").joined(separator: "\n")
    let declared = Set(
      code.matches(of: #/\b(?:struct|class|enum|protocol|actor|typealias|func|var|let|case) (\w+)/#).map {
        String($0.1)
      }
    ).union(["init"])
    var count = 0
    for page in try texts(of: library, ending: ".md") {
      // The text alone: code is between fences.
      let prose = page.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }
        .map(\.element).joined()
      for link in prose.matches(of: #/``([^`]+)``/#) where link.1 != library {
        count += 1
        for part in link.1.split(separator: "/") {
          // `cancel(_:)`, and `code-swift.property` where DocC needs to tell two things of one name apart.
          let name = part.prefix { $0 != "(" && $0 != "-" }
          let exists = declared.contains(String(name))
          #expect(exists, "\(library): \(link.1)")
        }
      }
    }
    #expect(count > 10)
  }

  @Test("every public type is in its library's topics", arguments: libraries + ["WebValues"])
  func types(library: String) throws {
    let pages = try texts(of: library, ending: ".md").joined()
    for text in try texts(of: library, ending: ".swift") {
      // Those that are not nested in another.
      for type in text.matches(
        of: #/(?m)^public (?:final |indirect )*(?:struct|class|enum|protocol|actor) (\w+)/#)
      {
        // A type that is named as its library is linked by both names.
        let link = type.1 == library ? "\(library)/\(type.1)" : String(type.1)
        #expect(
          pages.contains("\n- ``\(link)``\n") || pages.hasSuffix("\n- ``\(link)``"),
          "\(library): \(type.1)")
      }
    }
  }

  @Test("the way of a URL names files that exist, each once, and half as many as there were")
  func way() throws {
    let page = try String(contentsOfFile: Self.sources + "../docs/architecture.md", encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "## The way of a URL").last?.components(separatedBy: "\n## ").first)
    let files = section.matches(of: #/`([A-Za-z]+\/[^`]+)`/#).map { String($0.1) }
    #expect(Set(files).count == files.count && (50...70).contains(files.count))
    for file in files {
      #expect(FileManager.default.fileExists(atPath: "\(Self.sources)\(file).swift"), "\(file)")
    }
  }

  @Test("pages that comments, tests and other pages name are in the repository")
  func pages() throws {
    let root = Self.sources + "../"
    var named = 0
    for directory in ["Sources", "Tests", "docs", "Benchmarks"] {
      let folder = try #require(FileManager.default.enumerator(atPath: root + directory))
      for case let name as String in folder where name.contains(#/\.(swift|md|c|h)$/#) {
        let text = try String(contentsOfFile: "\(root)\(directory)/\(name)", encoding: .utf8)
        for page in text.matches(of: #/(?:docs\/[\w\/-]+|(?:\b[A-Z][a-z]+\/)?\b[A-Z]{2,})\.md\b/#) {
          named += 1
          let beside = (name as NSString).deletingLastPathComponent
          let places = [root, "\(root)\(directory)/\(beside)/"]
          let isThere = places.contains { FileManager.default.fileExists(atPath: $0 + page.0) }
          #expect(isThere, "\(directory)/\(name): \(page.0)")
        }
      }
    }
    #expect(named > 5)
  }

  private static let tools = ["docc", "swift-symbolgraph-extract"].map { name in
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) } ?? ""
  }

  /// DocC resolves the links itself, where it is installed with the compiler.
  @Test(
    "DocC has nothing to warn of", .enabled(if: !tools.contains("")),
    arguments: libraries + ["WebValues"])
  func docc(library: String) async throws {
    let command = try CommandRun()
    let modules = URL(fileURLWithPath: BuiltCommand.path).deletingLastPathComponent().path + "/Modules"
    let outcome = try await command.run(
      [
        "-euo", "pipefail", "-c",
        """
        flags=$(for flag in $(pkg-config --cflags vips libcurl zlib); do printf -- '-Xcc %s ' "$flag"; done)
        checkouts=$(cd -P '\(modules)/../../..' && pwd)/checkouts
        mkdir graphs
        '\(Self.tools[1])' -module-name \(library) -I '\(modules)' -I '\(Self.sources)CVips' \
          -I '\(Self.sources)CVipsLibrary/include' -I '\(Self.sources)CReduce/include' \
          -I '\(Self.sources)CSandbox/include' -I '\(Self.sources)CJPEG/include' \
          -I '\(Self.sources)CCurl' -I '\(Self.sources)CCurlLibrary/include' -I '\(Self.sources)CZlib' \
          -I "$checkouts/GRDB.swift/Sources/GRDBSQLite" -target "$(uname -m)-unknown-linux-gnu" \
          $flags -output-dir graphs -minimum-access-level public -skip-inherited-docs
        '\(Self.tools[0])' convert '\(Self.sources)\(library)/\(library).docc' --additional-symbol-graph-dir graphs \
          --fallback-display-name \(library) --fallback-bundle-identifier imagemill.\(library) \
          --output-path \(library).doccarchive > /dev/null 2> found || { cat found; exit 1; }
        grep 'warning:\\|error:' found || true
        """,
      ], executable: "/bin/bash")
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
    #expect(outcome.text.isEmpty, "\(outcome.text)")
  }
}
