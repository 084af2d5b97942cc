import ArgumentParser
import FoundationEssentials
import ImageCaches
import SystemIO

/// The disk cache.
struct CacheCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache", abstract: "Look at the disk cache, and look after it.",
    discussion: """
      The cache holds nothing that can't be made again: it may be removed at any time.

        imagemill cache stats
        imagemill cache verify
      """,
    subcommands: [Path.self, Stats.self, List.self, Explain.self, Verify.self, Purge.self, Clear.self])

  /// Where the cache is.
  struct Place: ParsableArguments {
    @Option(
      help: ArgumentHelp(
        "The cache's directory (default: $IMAGEMILL_CACHE_DIR, else ~/.cache/imagemill).", valueName: "dir"),
      completion: .directory)
    var cacheDir: String?

    @Option(help: ArgumentHelp("What the cache may take on disk.", valueName: "size"))
    var cacheSize = SizeArgument(CacheSettings().capacity)

    /// The cache as every command uses it where no option says otherwise.
    var settings: CacheSettings { CacheSettings(directory: cacheDir, capacity: cacheSize.bytes) }

    /// The store, which says what it mends.
    func openStore() throws -> DiskStore {
      let store = try settings.openStore(canDoWithout: false)
      store.onMend { StandardError.write("imagemill: \($0.messageWithRemedy(canDoWithout: false))\n") }
      return store
    }

    /// Runs `body` on the store, which `body` is about to change or not.
    func withStore(changing: Bool = false, _ body: (DiskStore) throws -> Void) throws {
      let store = try openStore()
      defer { store.close() }
      if changing, store.isReadOnly {
        throw Complaint(
          .failed, "\(store.directory) is read-only to you; run this as the user whom it belongs to")
      }
      do {
        try body(store)
      } catch let error as CacheError {
        throw Complaint(.failed, error.messageWithRemedy(canDoWithout: false))
      }
    }
  }

  struct Path: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print where it is.")
    @OptionGroup var place: Place
    func run() throws { try place.withStore { try StandardOutput.write($0.directory + "\n") } }
  }

  struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Count what is in it.")
    @OptionGroup var place: Place
    @Flag(help: "As one JSON object.") var json = false

    func run() throws {
      try place.withStore { store in
        let inventory = try store.inventory()
        if json { return try CacheCommand.printJSON(inventory) }
        try StandardOutput.write(
          """
          directory  \(store.directory)
          objects    \(inventory.objects)
          bytes      \(inventory.bytes) of \(store.capacity), purged to \(store.preferredUsageAfterPurge)
          responses  \(inventory.responses)
          outputs    \(inventory.outputs)
          files      \(inventory.files)
          renditions \(inventory.renditions), \(inventory.renditionBytes) bytes

          """)
        for kind in CacheSavings.Kind.allCases {
          let saving = inventory.savings[kind.rawValue] ?? CacheSavings()
          try StandardOutput.write("\(Self.line(kind, saving))\n")
        }
      }
    }

    /// What one kind of hit has spared since the cache was made or cleared.
    private static func line(_ kind: CacheSavings.Kind, _ saving: CacheSavings) -> String {
      let seconds = "\((saving.seconds * 10).rounded() / 10) s"
      let spared =
        switch kind {
        case .response: "downloads spared: \(saving.bytes) bytes"
        case .revalidated: "downloads confirmed by their origins: \(saving.bytes) bytes spared"
        case .output:
          "outputs found in place: \(seconds) of rendering and \(saving.bytes) bytes of writing spared"
        case .stored: "outputs found in the cache: \(seconds) of rendering spared"
        case .rendition: "renditions used again"
        }
      return "\("hits".padded(to: 10)) \(saving.hits) \(spared)"
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the objects, the last used first.")
    @OptionGroup var place: Place
    @Flag(help: "As one JSON array.") var json = false

    func run() throws {
      try place.withStore { store in
        let objects = try store.list()
        if json { return try CacheCommand.printJSON(objects) }
        let width = objects.map { String($0.bytes).count }.max() ?? 0
        for object in objects {
          let bytes = String(repeating: " ", count: width - String(object.bytes).count) + String(object.bytes)
          let outputs =
            object.outputs > 0 ? ["\(object.outputs) output\(object.outputs == 1 ? "" : "s")"] : []
          let uses = (outputs + object.urls).map { "  \($0)" }.joined()
          try StandardOutput.write("\(object.digest.prefix(16))  \(bytes)\(uses)\n")
        }
      }
    }
  }

  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Read every object and drop what is damaged; exit 1 if anything was.")
    @OptionGroup var place: Place

    func run() throws {
      var isDamaged = false
      try place.withStore { store in
        let (checked, damaged, hadBadIndex) = try store.verify()
        try StandardOutput.write("\(checked) objects read, \(damaged) damaged\n")
        isDamaged = damaged > 0 || hadBadIndex
      }
      if isDamaged { throw ExitStatus.failed }
    }
  }

  struct Purge: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove the least recently used until it is as small as after a purge.")
    @OptionGroup var place: Place
    @Option(help: ArgumentHelp("Until no more than this is left.", valueName: "size")) var to: SizeArgument?

    func run() throws {
      try place.withStore(changing: true) { store in
        try StandardOutput.write("\(try store.purge(to: to?.bytes)) bytes freed\n")
      }
    }
  }

  struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove everything that no process uses at the moment.")
    @OptionGroup var place: Place
    func run() throws { try place.withStore(changing: true) { try $0.clear() } }
  }

  private static func printJSON(_ value: some Encodable) throws {
    try StandardOutput.write(
      String(decoding: try JSONText.encoded(value, pretty: true), as: UTF8.self) + "\n")
  }
}
