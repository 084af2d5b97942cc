import Dispatch
import Glibc
package import ImageBatch
import Synchronization
import SystemIO

/// A stream of jobs, one per record, read from a file descriptor as records arrive. Each job is delivered as soon as
/// its line is complete, and nothing is read before it is requested.
///
///     let jobs = try LineJobs(descriptor: 0, name: "-", LineOptions(.sources), options)
///     for await result in jobs {
///       switch result {
///       case .success(let job): …
///       case .failure(let diagnostic): …       // this record is wrong; the next may be right
///       }
///     }
///
/// The caller keeps ownership of the descriptor. Input compressed with gzip is decompressed. Blank lines and comments
/// are skipped; the n-th element has index `firstIndex + n - 1` if it is a job. After a read error, which is a failure,
/// the stream ends. Cancelling the task ends it too. The first record is delivered with the second one if the template has
/// no field: two would have the same path, so that there would be no job.
package struct LineJobs: AsyncSequence, Sendable {
  /// A job, or the error in its record.
  package typealias Element = Result<Job, ManifestDiagnostic>

  private let reading: Reading

  /// Makes a stream that can be iterated once.
  /// - Parameter name: The input's name in diagnostics.
  /// - Throws: `ManifestErrors` if the command line's template or encoding is wrong.
  package init(
    descriptor: Int32, name: String, _ lines: LineOptions, _ options: ManifestOptions
  ) throws(ManifestErrors) {
    try self.init(file: ManifestFile(borrowing: descriptor), name: name, lines, options)
  }

  init(
    file: ManifestFile, name: String, _ lines: LineOptions, _ options: ManifestOptions
  ) throws(ManifestErrors) {
    let parser = try RecordParser(name: name, options: lines, manifest: options)
    guard let stop = StopSignal() else {
      throw ManifestErrors([
        .init(
          file: name, line: 1, column: 1,
          message: "can't create a pipe: \(SystemError.last.text)")
      ])
    }
    let separator: UInt8? =
      switch lines.form {
      case .csv: UInt8(ascii: ",")
      case .tsv: UInt8(ascii: "\t")
      case .sources, .ndjson: nil
      }
    let splitter = RecordSplitter(
      terminator: lines.isNULSeparated && separator == nil ? 0 : UInt8(ascii: "\n"), separator: separator)
    reading = Reading(
      file, prefix: lines.prefix, splitter, parser, name: name, stop: stop)
  }

  /// Makes an iterator. All iterators of a stream share its position.
  package func makeAsyncIterator() -> Iterator { Iterator(reading: reading) }

  /// Iterates over the records.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let reading: Reading
    private var ready: ArraySlice<Element> = []

    fileprivate init(reading: Reading) { self.reading = reading }

    /// The next element; nil at the end.
    package mutating func next() async -> Element? {
      while ready.isEmpty {
        guard !Task.isCancelled, let batch = await reading.next() else { return nil }
        ready = batch[...]
      }
      return ready.popFirst()
    }
  }

  /// Reads and parses on its own queue, one read(2) for each request, so that waiting for input never blocks Swift's
  /// cooperative pool.
  fileprivate final class Reading: Sendable {
    private struct State: ~Copyable {
      var reader: RecordReader
      var parser: RecordParser
      var isAtEnd = false
      /// Whether elements have been returned.
      var hasDelivered = false
    }

    private let queue = DispatchQueue(label: "imagemill.manifest")
    // Only the queue takes the lock, so no other thread waits for it while a read blocks.
    private let state: Mutex<State>
    private let name: String
    private let stop: StopSignal

    init(
      _ file: ManifestFile, prefix: [UInt8], _ splitter: RecordSplitter, _ parser: RecordParser, name: String,
      stop: StopSignal
    ) {
      state = Mutex(
        State(
          reader: RecordReader(file: file, prefix: prefix, splitter: splitter), parser: parser))
      self.name = name
      self.stop = stop
    }

    /// The elements of the next records; nil at the end.
    func next() async -> [Element]? {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          queue.async { [self] in continuation.resume(returning: read()) }
        }
      } onCancel: {
        stop.raise()
      }
    }

    private func read() -> [Element]? {
      state.withLock { state -> [Element]? in
        guard !state.isAtEnd else { return nil }
        var elements: [Element] = []
        do {
          var isHeld = false
          repeat {
            let records = try state.reader.records(stop: stop.descriptor)
            state.isAtEnd = records.isEmpty
            for record in records {
              state.parser.parse(record).map { elements.append($0) }
              isHeld = isHeld || state.parser.hasOneConstant
            }
          } while !state.hasDelivered && state.parser.hasOneConstant && !state.isAtEnd
          if isHeld, !state.hasDelivered, elements.contains(where: \.isRefusal),
            case .success(let job)? = elements.first
          {
            elements[0] = .failure(state.parser.refusal(ofFirst: job))
          }
          state.hasDelivered = state.hasDelivered || !elements.isEmpty
          return elements.isEmpty && state.isAtEnd ? nil : elements
        } catch {
          state.isAtEnd = true
          var diagnostic = ManifestDiagnostic(file: name, line: 1, column: 1, message: "")
          switch error as? RecordReader.Failure {
          case .unreadable(let message, let line): (diagnostic.message, diagnostic.line) = (message, line)
          case .binary: diagnostic.message = "this is binary data, not a list" + state.parser.hints.image
          case .isNULSeparated:
            diagnostic.message = "the lines have NUL characters" + state.parser.hints.nulSeparated
          case .stopped, nil: return nil
          }
          diagnostic.isUnreadable = true
          return elements + [.failure(diagnostic)]
        }
      }
    }
  }
}

extension LineJobs.Element {
  /// Whether it is an error that makes the whole input unreadable.
  fileprivate var isRefusal: Bool {
    if case .failure(let diagnostic) = self { diagnostic.concernsInput } else { false }
  }
}
