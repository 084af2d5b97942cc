/* The bare libvips loop: a list of files over some processes, each of which thumbnails its share and saves it.
 *
 * usage: reference PROCESSES OUTPUT-DIRECTORY SUFFIX[OPTIONS] WIDTH... < LIST
 *
 * Each width decodes the source again, as vips_thumbnail() does; libvips works on one thread for each process, which is
 * the fastest way for a list of files.
 */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vips/vips.h>

static int convert(char *source, const char *directory, const char *suffix, int width, int several) {
	char path[4096], name[1024], tail[32] = "";
	VipsImage *image = NULL;
	snprintf(name, sizeof name, "%s", basename(source));
	char *dot = strrchr(name, '.');
	if (dot)
		*dot = 0;
	if (several)
		snprintf(tail, sizeof tail, "-%d", width);
	snprintf(path, sizeof path, "%s/%s%s%s", directory, name, tail, suffix);
	int pages = strstr(source, ".gif") != NULL;
	char input[4096];
	snprintf(input, sizeof input, "%s%s", source, pages ? "[n=-1]" : "");
	int result = vips_thumbnail(input, &image, width, "height", width, "size", VIPS_SIZE_DOWN, NULL) ||
		vips_image_write_to_file(image, path, NULL);
	g_clear_object(&image);
	return result;
}

int main(int count, char **arguments) {
	if (count < 5)
		return 2;
	int processes = atoi(arguments[1]);
	size_t length = 0, capacity = 0;
	char **list = NULL, *line = NULL;
	size_t room = 0;
	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (length == capacity)
			list = realloc(list, (capacity = capacity * 2 + 64) * sizeof *list);
		list[length++] = strdup(line);
	}
	for (int process = 0; process < processes; process++) {
		if (fork())
			continue;
		if (VIPS_INIT(arguments[0]))
			_exit(1);
		vips_concurrency_set(1);
		vips_cache_set_max(0);
		for (size_t index = process; index < length; index += processes)
			for (int width = 4; width < count; width++)
				if (convert(list[index], arguments[2], arguments[3], atoi(arguments[width]), count > 5)) {
					fprintf(stderr, "%s: %s", list[index], vips_error_buffer());
					_exit(1);
				}
		_exit(0);
	}
	int failed = 0, status;
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : 0;
}
