import Glibc
import ImageCaches
import ImageFilters
import Synchronization
import SystemIO

/// The two directories of a worker process, as its parent uses them.
///
/// A worker opens nothing else of a job: sources are sent as open files, and outputs are moved from ``own`` to where the
/// request wants them. A worker that was taken over may say anything, and keep files open: what is moved is checked.
final class WorkerDirectory: Sendable {
  /// The directory of both.
  private let path: String
  /// Where the worker may write.
  private var own: String { path + "/out" }
  /// Where it may only read: files whose libraries open them by path.
  private var inputs: String { path + "/in" }
  /// The fonts and color profiles in ``inputs``. Libraries may open them again later.
  private let copies = Mutex<[FileFingerprint: String]>([:])

  /// Creates the directories beside the request's outputs, or in the directory for temporary files.
  init(for request: RenderRequest) throws(SystemError) {
    let output = request.recipes.first?.temporaryPath ?? request.renditions.files.first
    let parent = output.map { DirectoryEntry($0).directory } ?? Paths.temporaryDirectory
    path = try TemporaryName.makeDirectory("\(parent)/\(output == nil ? "imagemill-" : "")worker-")
    for directory in [own, inputs] where mkdir(directory, 0o700) != 0 { throw .last }
  }

  deinit { remove() }

  /// Removes the directories with all that is in them. Only when the worker has ended, which could put a link in place.
  func remove() {
    // What can't be removed goes with the store's directory of this process.
    try? Directory.removeTree(path)
  }

  /// Whether the worker can still write.
  var exists: Bool { access(own, F_OK) == 0 }

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
        sent.request.files[font] = FontFile.refusal(ofFile: font).map { .refused($0) } ?? copy(font)
      }
      if case .file(let path, _) = recipe.encoding.profile {
        sent.request.files[path] = ProfileFile.refusal(ofFile: path).map { .refused($0) } ?? copy(path)
      }
    }
    return sent
  }

  private func open(_ place: FilePlace, _ sent: inout Sent) -> FilePlace {
    guard case .path(let path) = place else { return place }
    do throws(SystemError) {
      // O_NONBLOCK: if a FIFO has replaced the file, open(2) would block.
      let file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
      // An open directory could be listed.
      guard file.status.st_mode & S_IFMT == S_IFREG else { throw SystemError(code: EINVAL) }
      sent.opened.append(file)
      return .descriptor(file.number)
    } catch {
      return .unopened(path: path, error)
    }
  }

  /// Links a stored rendition, which is in the same file system unless that has no links.
  private func place(_ path: String, at link: String) -> Bool {
    // Copying to a link that was left would overwrite what it leads to.
    unlink(link)
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
  /// - Returns: nil if there is no such file, or if it is none. The worker reports that.
  private func copy(_ path: String) -> PlacedFile? {
    do throws(SystemError) {
      let file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
      let status = file.status
      guard status.st_mode & S_IFMT == S_IFREG else { return nil }
      return .copy(try copy(of: file, FileFingerprint(path: path, status: status)))
    } catch {
      return error.code == ENOENT || error.code == EACCES
        ? nil : .refused("can't be copied for the worker: \(error.text)")
    }
  }

  private func copy(of file: FileDescriptor, _ version: FileFingerprint) throws(SystemError) -> String {
    try copies.withLock { copies throws(SystemError) in
      if let known = copies[version] { return known }
      // libvips and Pango go by the bytes.
      let copy = "\(inputs)/f\(copies.count)"
      try FilePlace.descriptor(file.number).copy(to: copy)
      copies[version] = copy
      return copy
    }
  }

  // MARK: After a request

  /// Moves the worker's files to where `request` wants them, and removes all others.
  /// - Returns: The response with the request's paths.
  func land(_ response: RenderResponse, of sent: Sent, for request: RenderRequest) -> RenderResponse {
    var response = response
    // A rendition that isn't kept, or a part of an output that failed, may be left.
    var mayBeLeft = !request.renditions.files.isEmpty || response.outputs.count != request.recipes.count
    for (index, output) in response.outputs.enumerated() {
      guard case .success(let file) = output.result else {
        mayBeLeft = true
        continue
      }
      let recipe = index < request.recipes.count ? request.recipes[index] : nil
      let destination = recipe?.id == output.id ? recipe?.temporaryPath : nil
      do throws(SystemError) {
        guard let destination else { throw SystemError(code: EINVAL) }
        try move("\(own)/o\(index)", to: destination, file.bytes, file.digest)
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
        let destination = request.renditions.files[index]
        try move(rendition.path, to: destination, rendition.bytes, rendition.digest)
        rendition.path = destination
        response.renditions.append(rendition)
      } catch {
        // It is made again in a later run.
      }
    }
    if mayBeLeft { empty() }
    return response
  }

  /// Removes the links that a request needed, and closes its files.
  func release(_ sent: Sent) {
    for link in sent.links { unlink(link) }
    withExtendedLifetime(sent) {}
  }

  /// Moves a file to where the worker can't change its name any more.
  /// - Throws: `SystemError`; with code `EINVAL` if it is no regular file, and `EBADMSG` if it hasn't the size and the digest
  ///   that the worker told.
  private func move(
    _ path: String, to destination: String, _ bytes: Int, _ digest: ContentDigest
  ) throws(SystemError) {
    guard rename(path, destination) == 0 else { throw .last }
    do throws(SystemError) {
      let file = try claim(destination)
      let (found, size) = try file.digest()
      guard found == digest, size == bytes else { throw SystemError(code: EBADMSG) }
    } catch {
      if unlink(destination) != 0 { rmdir(destination) }
      throw error
    }
  }

  /// Makes sure that the worker can't change a file by another name or a descriptor: if it has one, the file is replaced by a
  /// copy.
  private func claim(_ path: String) throws(SystemError) -> FileDescriptor {
    let file = try FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    let status = file.status
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(code: EINVAL) }
    // The worker sets the mode of a file that it creates.
    let mode = status.st_mode & 0o7777
    if mode & ~0o644 != 0 { guard fchmod(file.number, mode & 0o644) == 0 else { throw .last } }
    // A lease for reading is refused while a descriptor for writing is open (fcntl(2)). Swift can't import F_SETLEASE.
    let setLease: Int32 = 1024
    if status.st_nlink == 1, fcntl(file.number, setLease, F_RDLCK) == 0 {
      _ = fcntl(file.number, setLease, F_UNLCK)
      return file
    }
    guard unlink(path) == 0 else { throw .last }
    try FilePlace.descriptor(file.number).copy(to: path)
    return try FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW)
  }

  /// Removes the worker's files. It can't make directories or links, which could lead elsewhere.
  private func empty() {
    // A directory that can't be listed was removed, and the next request gets another worker.
    for entry in (try? Directory.existingEntries(of: own)) ?? [] {
      unlink(entry.path(in: Array(own.utf8CString)))
    }
  }
}
