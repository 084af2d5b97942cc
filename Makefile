# make               the command, built for release
# make test          sets up and runs the tests
# make demo          sets up and runs Examples/gallery.yaml against a loopback server
# make install PREFIX=/usr/local
PREFIX ?= /usr/local
DESTDIR ?=
SWIFT_BUILD = swift build -c release --static-swift-stdlib --product imagemill
BINARY = .build/release/imagemill
MANUALS = $(wildcard man/*.1 man/*.5 man/*.7)

.PHONY: all packages build test demo install uninstall format check-format lint clean

all: build

# The C libraries' development packages, where Debian's package manager is there to install them.
packages:
	@.ci/packages libvips-dev libcurl4-openssl-dev libsqlite3-dev zlib1g-dev

build: packages
	$(SWIFT_BUILD)

test: packages
	@.ci/packages libvips-tools nginx-light mandoc openssl python3
	swift test

demo: build
	@.ci/packages python3
	Examples/demo $(BINARY) demo-output

install:
	@test -x $(BINARY) || $(MAKE) build
	install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/imagemill
	for page in $(MANUALS); do \
	  install -D -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/} || exit 1; \
	done

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/imagemill
	for page in $(MANUALS); do rm -f $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}; done

format:
	swift format --in-place --recursive --parallel Package.swift Sources Tests

check-format:
	swift format lint --strict --recursive --parallel Package.swift Sources Tests

lint:
	@.ci/packages mandoc
	@for page in $(MANUALS); do mandoc -T lint -W warning $$page || exit 1; done

clean:
	swift package clean
	rm -rf demo-output
