public import struct FoundationEssentials.URL
import ImageDownloads
public import ImageFilters
public import ImageRendering

/// Jobs in Swift code. Nothing here throws: a job whose arguments are invalid fails when it runs, like one whose image is
/// damaged.
extension Job {
  /// Creates a job with one output.
  ///
  ///     Job(source: url, output: "thumbs/\(id).webp", filters: .fill(width: 96, height: 96), .circle)
  /// - Parameters:
  ///   - source: An http or https URL. Any other URL fails: a URL from the network must not be able to name a local file.
  ///     For one, see ``init(file:output:filters:encoding:)``.
  ///   - output: The path to write, relative to the batch's output directory.
  ///   - filters: The filters, in the order of application. The identifier of an own filter is a part of the key under
  ///     which outputs are stored; such filters run in process only.
  ///   - encoding: The format and encoder options (default: those of the path's extension).
  public init(
    source: URL, output: OutputTemplate, filters: any ImageFilter..., encoding: Encoding? = nil
  ) {
    self.init(
      source: source,
      outputs: [JobOutput(output, chain: FilterChain(combining: filters), encoding: encoding)])
  }

  /// Creates a job with several outputs of one download and decoding.
  /// - Parameters:
  ///   - source: An http or https URL.
  ///   - outputs: The outputs; without one, the source is only downloaded.
  public init(source: URL, outputs: [JobOutput]) {
    self.init(index: 0, sources: [.url(source.absoluteString)], outputs: outputs)
  }

  /// Creates a job with one output of a local file.
  /// - Parameters:
  ///   - file: A `file:` URL.
  ///   - output: The path to write, relative to the batch's output directory.
  ///   - filters: The filters, in the order of application. The identifier of an own filter is a part of the key under
  ///     which outputs are stored; such filters run in process only.
  ///   - encoding: The format and encoder options (default: those of the path's extension).
  public init(file: URL, output: OutputTemplate, filters: any ImageFilter..., encoding: Encoding? = nil) {
    self.init(
      file: file, outputs: [JobOutput(output, chain: FilterChain(combining: filters), encoding: encoding)])
  }

  /// Creates a job with several outputs of a local file.
  /// - Parameters:
  ///   - file: A `file:` URL.
  ///   - outputs: The outputs; without one, the file is only read.
  public init(file: URL, outputs: [JobOutput]) {
    self.init(index: 0, sources: [.file(file.path(percentEncoded: false))], outputs: outputs)
  }

  /// The error of arguments that no source can make right.
  func checkArguments(inProcess: Bool) throws(JobError) {
    for output in outputs { try output.checkArguments(inProcess: inProcess) }
  }
}

extension JobOutput {
  /// Creates an output. See ``Job/init(source:output:filters:encoding:)``.
  public init(_ template: OutputTemplate, filters: any ImageFilter..., encoding: Encoding? = nil) {
    self.init(template, chain: FilterChain(combining: filters), encoding: encoding)
  }

  init(_ template: OutputTemplate, chain: FilterChain, encoding: Encoding?) {
    // The default is never used: without an encoding for the extension, the job fails.
    self.init(template: template, chain: chain, encoding: encoding ?? .png())
    guard encoding == nil, template.problem == nil else { return }
    do throws(EncodingSettingsError) {
      self.encoding = try Encoding(
        resolving: EncodingSettings(), pathExtension: template.literalPathExtension)
    } catch {
      problem = JobError(code: .badOutput, stage: .manifest, message: error.message)
    }
  }

  fileprivate func checkArguments(inProcess: Bool) throws(JobError) {
    func refuse(_ code: JobError.Code, _ message: String) -> JobError {
      JobError(code: code, stage: .manifest, message: message)
    }
    if let problem { throw problem }
    if let problem = template.problem {
      throw refuse(.badOutput, "invalid output path '\(template.text)': \(problem.message)")
    }
    if let field = template.unknownFields(variables: variables.keys).first {
      throw refuse(.badOutput, "invalid output path '\(template.text)': nothing defines '{\(field.name)}'")
    }
    do throws(FilterError) { try chain.check() } catch { throw refuse(.filterFailed, error.message) }
    do throws(EncodingSettingsError) { try encoding.check(chain) } catch {
      throw refuse(.badOutput, error.message)
    }
    if !inProcess, chain.hasOwnFilters {
      throw refuse(
        .filterFailed, "worker processes don't have the program's own filters: render in process")
    }
  }
}
