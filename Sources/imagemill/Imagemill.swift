import ArgumentParser
@main struct Imagemill: ParsableCommand { func run() throws { print("x") } }
