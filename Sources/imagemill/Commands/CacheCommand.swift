import ArgumentParser
import FoundationEssentials
import ImageCaches
import Reports
import SystemIO
import TerminalText

/// The disk cache.
struct CacheCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache", abstract: "Inspect and maintain the disk cache.",
    discussion: """
      To empty the cache, use 'imagemill cache clear', which keeps the record of written files. If the directory \
      itself is removed, the record is lost: --prune and --no-clobber no longer recognize earlier outputs, and a \
      manifest whose jobs read outputs of other jobs is refused. In that case, run it once with --in-place.

        imagemill cache stats
        imagemill cache verify
      """,
    subcommands: [
      Path.self, Stats.self, List.self, Explain.self, Limit.self, Verify.self, Purge.self, Clear.self,
    ])

  /// The cache that a command works on.
  struct Place: ParsableArguments {
    @OptionGroup var location: CacheLocation

    var settings: CacheSettings { location.settings }

    /// Opens the store; repairs are reported on standard error.
    /// - Parameter creates: Whether a missing directory is created; otherwise it is read as an empty cache.
    func openStore(creates: Bool) throws -> DiskStore {
      var settings = settings
      settings.createsDirectory = creates
      return try settings.openStore(canDoWithout: false)
    }

    /// Runs `body` on the store.
    /// - Parameter changing: Whether `body` changes the store, which is created for that.
    /// - Throws: `CommandError` if the store fails, or is read-only and would be changed.
    func withStore(changing: Bool = false, _ body: (DiskStore) throws -> Void) throws {
      let signals = Signals()
      let store = try openStore(creates: changing)
      signals.endAtOnce(store)
      defer { store.close() }
      if changing, store.isReadOnly {
        throw CommandError(
          .failed, "\(store.directory) is read-only for you; run this as its owner")
      }
      do {
        try body(store)
      } catch let error as CacheError {
        throw CommandError(.failed, error.messageWithRemedy(canDoWithout: false))
      }
    }
  }

  struct Path: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the cache directory.")
    @OptionGroup var place: Place
    func run() throws { try place.withStore { try StandardOutput.write($0.directory + "\n") } }
  }

  struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show size, contents and hit statistics.",
      discussion: """
        'objects' counts the stored bodies of responses, outputs and renditions. 'responses', 'outputs' and 'files' \
        count the responses, outputs and local files in the index. 'renditions' counts filtered images before \
        encoding, which 'run --cache-intermediates' keeps.
        """)
    @OptionGroup var place: Place
    @Flag(help: "Print one JSON object.") var json = false

    func run() throws {
      try place.withStore { store in
        let inventory = try store.inventory()
        if json { return try CacheCommand.printJSON(inventory) }
        try StandardOutput.write(
          """
          directory  \(TerminalText.visible(store.directory))
          objects    \(inventory.objects)
          size       \(QuantityText.bytes(inventory.bytes)) of \(QuantityText.bytes(store.capacity)); a purge keeps \
          \(QuantityText.bytes(store.preferredUsageAfterPurge))
          responses  \(inventory.responses)
          outputs    \(inventory.outputs)
          files      \(inventory.files)
          renditions \(inventory.renditions), \(QuantityText.bytes(inventory.renditionBytes))

          """)
        for kind in CacheSavings.Kind.allCases {
          let saving = inventory.savings[kind.rawValue] ?? CacheSavings()
          try StandardOutput.write("\(Self.line(kind, saving))\n")
        }
      }
    }

    /// The savings of one kind of hit since the cache was made or cleared.
    private static func line(_ kind: CacheSavings.Kind, _ saving: CacheSavings) -> String {
      let seconds = "\((saving.seconds * 10).rounded() / 10) s"
      let size = QuantityText.bytes(saving.bytes)
      let spared =
        switch kind {
        case .response: "downloads saved: \(size)"
        case .revalidated: "responses revalidated: \(size) saved"
        case .output:
          "outputs already in place: \(seconds) of rendering and \(size) of writing saved"
        case .stored: "outputs found in the cache: \(seconds) of rendering saved"
        case .rendition: "renditions reused"
        case .remote:
          "outputs found in the remote cache: \(seconds) of rendering saved, \(size) received"
        }
      return "\("hits".padded(to: 10)) \(saving.hits) \(spared)"
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the objects, most recently used first.")
    @OptionGroup var place: Place
    @Flag(help: "Print one JSON object.") var json = false

    func run() throws {
      try place.withStore { store in
        let objects = try store.list()
        if json { return try CacheCommand.printJSON(Listing(objects: objects.map(Listing.Object.init))) }
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

  /// The JSON of `cache list`.
  private struct Listing: Encodable {
    struct Object: Encodable {
      let sha256: String
      let bytes: Int
      let lastUsed: Double
      let urls: [String]
      let outputs: Int

      init(_ object: DiskStore.ListedObject) {
        sha256 = object.digest
        bytes = object.bytes
        lastUsed = object.lastUsed
        urls = object.urls
        outputs = object.outputs
      }
    }

    let objects: [Object]
  }

  struct Limit: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show or set the size limit of the cache. It applies to every command.",
      discussion: """
        Without size, prints the limit in bytes. With size, sets the limit; a cache that exceeds it is purged to 60% \
        of it, least recently used objects first. A new cache has a limit of 2GiB, or the --cache-size of the run that creates it.

          imagemill cache limit
          imagemill cache limit 20GiB
        """)
    @OptionGroup var place: Place
    @Argument(help: "The new limit, such as 20GiB.") var size: SizeArgument?

    func validate() throws { try size?.checkCacheSize("the limit of a cache") }

    func run() throws {
      try place.withStore(changing: size != nil) { store in
        guard let size else {
          try StandardOutput.write("\(store.capacity)\n")
          return
        }
        let freed = try store.setLimit(size.bytes)
        if freed > 0 { try StandardOutput.write("\(freed) bytes freed\n") }
      }
    }
  }

  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Verify every object and remove damaged ones; exit 1 if any is damaged.")
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
      abstract: "Remove the least recently used objects until the cache is at 60% of its limit, or at --to.",
      usage: "imagemill cache purge [<options>]")
    @OptionGroup var place: Place
    @Option(help: ArgumentHelp("Size to reach (default: 60% of the limit).", valueName: "size"))
    var to: SizeArgument?

    func run() throws {
      try place.withStore(changing: true) { store in
        try StandardOutput.write("\(try store.purge(to: to?.bytes)) bytes freed\n")
      }
    }
  }

  struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Remove everything that no process is using, but keep the record of written files.",
      discussion: """
        This also removes the statistics, and the recorded failures for --failed. The next run renders all outputs again; \
        until then --check reports them as out of date.
        """)
    @OptionGroup var place: Place
    func run() throws { try place.withStore(changing: true) { try $0.clear() } }
  }

  private static func printJSON(_ value: some Encodable) throws {
    try StandardOutput.write(
      String(decoding: try JSONText.document(value, pretty: true), as: UTF8.self) + "\n")
  }
}
