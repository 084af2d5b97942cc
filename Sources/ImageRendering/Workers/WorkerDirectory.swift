import Glibc
import ImageFilters
import Synchronization
import SystemIO

/// The two directories of a worker process, as its parent uses them.
///
/// A worker opens nothing else of a job: sources are sent as open files, and outputs are moved from ``own`` to where the
/// request wants them. It could read the files of its earlier requests only if they were left there.
final class WorkerDirectory: Sendable {
  /// The directory of both.
  private let path: String
  /// Where the worker may write.
  private var own: String { path + "/out" }
  /// Where it may only read: files whose libraries open them by path.
  private var inputs: String { path + "/in" }
  /// The fonts and color profiles in ``inputs``, by the path that names them. Libraries may open them again later.
  private let copies = Mutex<[String: PlacedFile]>([:])

  /// Creates the directories beside the request's outputs, or in the directory for temporary files.
  init(for request: RenderRequest) throws(SystemError) {
    let output = request.recipes.first?.temporaryPath ?? request.renditions.files.first
    let parent = output.map { DirectoryEntry($0).directory } ?? Paths.temporaryDirectory
    path = try TemporaryName.makeDirectory("\(parent)/worker-")
    for directory in [own, inputs] where mkdir(directory, 0o700) != 0 { throw .last }
  }

  deinit { remove() }

  /// Removes the directories with all that is in them. Only when the worker has ended, which could put a link in place.
  func remove() {
    // What can't be removed goes with the store's directory of this process.
    try? Directory.removeTree(path)
  }

  /// What the worker is told before its first request.
  var places: WorkerPlaces {
    WorkerPlaces(directory: own, inputs: inputs, readable: ReadablePlaces.all)
  }

  /// A request as the worker gets it.
  struct Sent {
    var request: RenderRequest
    /// The files that were opened for it.
    fileprivate var opened: [FileDescriptor] = []
    fileprivate var links: [String] = []
  }

  // MARK: Before a request

  /// The request with open sources, and with paths in the worker's directories.
  func prepare(_ request: RenderRequest) -> Sent {
    var sent = Sent(request: request)
    let source = open(request.source, &sent)
    sent.request.source = source
    for (reference, image) in request.auxiliary {
      let place = open(image.place, &sent)
      sent.request.auxiliary[reference]?.place = place
    }
    for index in request.recipes.indices { sent.request.recipes[index].temporaryPath = "\(own)/o\(index)" }
    for index in request.renditions.files.indices {
      sent.request.renditions.files[index] = "\(own)/r\(index)"
    }
    for (key, path) in request.renditions.stored {
      let link = "\(inputs)/s\(sent.links.count)"
      // Without it, the rendition is made again.
      sent.request.renditions.stored[key] = place(path, at: link) ? link : nil
      sent.links.append(link)
    }
    for recipe in request.recipes {
      for font in recipe.chain.fonts where FontFile.isFile(font) {
        sent.request.files[font] = copy(font, FontFile.refusal(ofFile: font))
      }
      if case .file(let path, _) = recipe.encoding.profile { sent.request.files[path] = copy(path, nil) }
    }
    return sent
  }

  private func open(_ place: FilePlace, _ sent: inout Sent) -> FilePlace {
    guard case .path(let path) = place else { return place }
    do throws(SystemError) {
      // O_NONBLOCK: if a FIFO has replaced the file, open(2) would block.
      let file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
      sent.opened.append(file)
      return .descriptor(file.number)
    } catch {
      return .unopened(path: path, error)
    }
  }

  /// Links a stored rendition, which is in the same file system unless that has no links.
  private func place(_ path: String, at link: String) -> Bool {
    if Glibc.link(path, link) == 0 { return true }
    do throws(SystemError) {
      try File.copy(path, to: link)
      return true
    } catch {
      return false
    }
  }

  /// Copies a file that the worker's libraries open by path. A copy stays: the file may be in another file system, change,
  /// or belong to another user.
  private func copy(_ path: String, _ refusal: String?) -> PlacedFile? {
    copies.withLock { copies in
      if let known = copies[path] { return known }
      var status = stat()
      // A FIFO isn't read. The worker reports it.
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG || refusal != nil else { return nil }
      let suffix = path.split(separator: "/").last?.split(separator: ".").last.map { "." + $0 } ?? ""
      let copy = "\(inputs)/f\(copies.count)\(suffix)"
      let placed: PlacedFile
      if let refusal {
        placed = .refused(refusal)
      } else {
        do throws(SystemError) {
          try File.copy(path, to: copy)
          placed = .copy(copy)
        } catch {
          return .refused("can't be copied for the worker: \(error.text)")
        }
      }
      copies[path] = placed
      return placed
    }
  }

  // MARK: After a request

  /// Moves the worker's files to where `request` wants them, and removes all others.
  /// - Returns: The response with the request's paths.
  func land(_ response: RenderResponse, of sent: Sent, for request: RenderRequest) -> RenderResponse {
    var response = response
    for link in sent.links { unlink(link) }
    // A rendition that isn't kept, or a part of an output that failed, may be left.
    var mayBeLeft = !request.renditions.files.isEmpty || response.outputs.count != request.recipes.count
    for (index, output) in response.outputs.enumerated() {
      guard case .success = output.result else {
        mayBeLeft = true
        continue
      }
      // A worker that was taken over may say anything.
      let recipe = index < request.recipes.count ? request.recipes[index] : nil
      let destination = recipe?.id == output.id ? recipe?.temporaryPath : nil
      do throws(SystemError) {
        guard let destination else { throw SystemError(code: EINVAL) }
        try move("\(own)/o\(index)", to: destination)
      } catch {
        mayBeLeft = true
        response.outputs[index].result = .failure(.unwritable(destination ?? own, error))
      }
    }
    let renditions = response.renditions
    response.renditions = []
    for var rendition in renditions {
      guard let index = sent.request.renditions.files.firstIndex(of: rendition.path) else { continue }
      do throws(SystemError) {
        try move(rendition.path, to: request.renditions.files[index])
        rendition.path = request.renditions.files[index]
        response.renditions.append(rendition)
      } catch {
        // It is made again in a later run.
      }
    }
    if mayBeLeft { empty() }
    return response
  }

  /// Moves a file to where the worker can't change its name any more.
  private func move(_ path: String, to destination: String) throws(SystemError) {
    guard rename(path, destination) == 0 else { throw .last }
    var status = stat()
    guard lstat(destination, &status) == 0 else { throw .last }
    // What is read here must not be a link to a file of others.
    guard status.st_mode & S_IFMT == S_IFREG else {
      unlink(destination)
      throw SystemError(code: EINVAL)
    }
  }

  /// Removes the worker's files. It can't make directories or links, which could lead elsewhere.
  private func empty() {
    guard let entries = try? Directory.existingEntries(of: own) else { return }
    for entry in entries { unlink("\(own)/\(entry.name)") }
  }
}
