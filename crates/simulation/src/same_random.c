// Takes the place of the system's random bits in the command. Hash maps are iterated, and tasks that wait for the same thing are
// woken, in an order that is drawn from them when a process starts: with these, a seed comes to the same whenever it is simulated.

#include <stddef.h>
#include <sys/types.h>

static void fill(unsigned char *buffer, size_t length) {
    for (size_t place = 0; place < length; place++) {
        buffer[place] = (unsigned char)(place * 151 + 17);
    }
}

ssize_t getrandom(void *buffer, size_t length, unsigned int flags) {
    (void)flags;
    fill(buffer, length);
    return (ssize_t)length;
}

int getentropy(void *buffer, size_t length) {
    fill(buffer, length);
    return 0;
}
