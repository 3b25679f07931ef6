/* A disk that fails: preloaded, it lets a process read so many bytes of the files below some folders, and no more.

   FAULT_FOLDERS  the folders, with colons between them
   FAULT_READ     how many bytes can be read before every further read ends with EIO; without it, all of them
   FAULT_COUNTED  a file to say in, at the end, how many were read

   What is mapped into memory is not read by calls, and does not fail here. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long counted;

static int is_below(int file) {
    char link[64], path[4096];
    const char *folder = getenv("FAULT_FOLDERS");
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (!folder || length < 0) return 0;
    path[length] = 0;
    while (*folder) {
        size_t size = strcspn(folder, ":");
        if (size && !strncmp(path, folder, size) && path[size] == '/') return 1;
        folder += size + (folder[size] == ':');
    }
    return 0;
}

/* How many of the bytes asked for may be read; none is an error. */
static size_t allowed(size_t asked) {
    const char *limit = getenv("FAULT_READ");
    long left = limit ? atol(limit) - atomic_load(&counted) : (long)asked;
    return left <= 0 ? 0 : (size_t)left < asked ? (size_t)left : asked;
}

static ssize_t count(ssize_t got) {
    if (got > 0) atomic_fetch_add(&counted, got);
    return got;
}

ssize_t read(int file, void *to, size_t size) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "read");
    if (!size || !is_below(file)) return real(file, to, size);
    if (!allowed(size)) return errno = EIO, -1;
    return count(real(file, to, allowed(size)));
}

ssize_t pread64(int file, void *to, size_t size, off64_t from) {
    static ssize_t (*real)(int, void *, size_t, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "pread64");
    if (!size || !is_below(file)) return real(file, to, size, from);
    if (!allowed(size)) return errno = EIO, -1;
    return count(real(file, to, allowed(size), from));
}

/* numpy.fromfile reads so, and looks at ferror, which only a read of the library's own could set: it gets too little. */
size_t fread(void *to, size_t each, size_t number, FILE *file) {
    static size_t (*real)(void *, size_t, size_t, FILE *);
    if (!real) real = dlsym(RTLD_NEXT, "fread");
    if (!each || !number || !is_below(fileno(file))) return real(to, each, number, file);
    if (allowed(each * number) < each * number) return errno = EIO, 0;
    size_t got = real(to, each, number, file);
    count((ssize_t)(got * each));
    return got;
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("FAULT_COUNTED");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", atomic_load(&counted));
    fclose(file);
}
