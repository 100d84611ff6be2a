/* A sound card made of software: an ALSA plug-in that takes samples at the speed of life, like a real card, and
 * tells what it was given. Built and used by paced_card.py; nothing is installed.
 *
 *   record  file that gets every sample that was played; what was still waiting when the card was stopped is not in it
 *   log     file that gets one line for each thing that happened:
 *             sound HANDED HEARD   the first sample that is not zero after at least QUIET_NS without any:
 *                                  when it was handed over, and when the card came to play it
 *             underrun WHEN        the card had nothing left to play while it should
 *             open WHEN, close WHEN
 *           all times in nanoseconds of CLOCK_MONOTONIC
 *   gone    the card has been pulled out for as long as a file of this name exists
 *   hangs   the card does not open for as long as a file of this name exists
 *   period  the smallest period it takes, in frames of one channel
 */
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define QUIET_NS 30000000LL
#define TICK_NS 1000000LL

typedef struct {
    snd_pcm_ioplug_t io;
    FILE *record, *log;
    char *gone;
    int64_t started_ns;    /* 0: not running */
    int64_t last_sound_ns; /* when the last sample that is not zero was handed over */
    int64_t written;       /* frames since prepare */
    int64_t recorded;      /* bytes that were played before */
    int64_t waiting_ns;    /* a sound was handed over then, and the card does not run yet */
    int64_t waiting_frame;
} card_t;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int is_gone(card_t *card)
{
    if (access(card->gone, F_OK) != 0)
        return 0;
    snd_pcm_ioplug_set_state(&card->io, SND_PCM_STATE_DISCONNECTED);
    return 1;
}

static int64_t frames_ns(card_t *card, int64_t frames)
{
    return frames * 1000000000LL / card->io.rate;
}

static void tick(card_t *card, int64_t every_ns)
{
    struct itimerspec t = {{0, every_ns}, {0, every_ns}};
    timerfd_settime(card->io.poll_fd, 0, &t, NULL);
}

static int card_start(snd_pcm_ioplug_t *io)
{
    card_t *card = io->private_data;
    card->started_ns = now_ns();
    if (card->waiting_ns) {
        fprintf(card->log, "sound %lld %lld\n", (long long)card->waiting_ns,
                (long long)(card->started_ns + frames_ns(card, card->waiting_frame)));
        card->waiting_ns = 0;
    }
    tick(card, TICK_NS);
    return 0;
}

/* What the card was given, and has not played by now, nobody will ever hear. */
static void forget_unplayed(card_t *card)
{
    int64_t played = card->started_ns ? (now_ns() - card->started_ns) * card->io.rate / 1000000000LL : 0;
    if (played > card->written)
        played = card->written;
    card->recorded += played * 2 * card->io.channels;
    card->written = 0;
    if (fflush(card->record) || ftruncate(fileno(card->record), card->recorded))
        abort(); /* what is measured must be true */
}

static int card_stop(snd_pcm_ioplug_t *io)
{
    card_t *card = io->private_data;
    forget_unplayed(card);
    card->started_ns = 0;
    tick(card, 0);
    return 0;
}

static int card_prepare(snd_pcm_ioplug_t *io)
{
    card_t *card = io->private_data;
    if (is_gone(card))
        return -ENODEV;
    forget_unplayed(card);
    card->started_ns = card->waiting_ns = 0;
    /* a wait before the first write is over at once: there is room */
    tick(card, TICK_NS);
    return 0;
}

static snd_pcm_sframes_t card_pointer(snd_pcm_ioplug_t *io)
{
    card_t *card = io->private_data;
    if (is_gone(card))
        return -ENODEV;
    if (!card->started_ns)
        return 0;
    int64_t played = (now_ns() - card->started_ns) * io->rate / 1000000000LL;
    if (played > card->written) {
        if (io->state == SND_PCM_STATE_RUNNING)
            fprintf(card->log, "underrun %lld\n", (long long)now_ns());
        return -EPIPE;
    }
    return played;
}

static snd_pcm_sframes_t card_transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                       snd_pcm_uframes_t offset, snd_pcm_uframes_t size)
{
    card_t *card = io->private_data;
    if (is_gone(card))
        return -ENODEV;
    const int16_t *data = (const int16_t *)((char *)areas->addr + areas->first / 8) + offset * io->channels;
    int64_t now = now_ns();
    for (snd_pcm_uframes_t i = 0; i < size * io->channels; i++) {
        if (!data[i])
            continue;
        if (now - card->last_sound_ns > QUIET_NS) {
            int64_t frame = card->written + i / io->channels;
            if (card->started_ns)
                fprintf(card->log, "sound %lld %lld\n", (long long)now,
                        (long long)(card->started_ns + frames_ns(card, frame)));
            else {
                card->waiting_ns = now;
                card->waiting_frame = frame;
            }
        }
        card->last_sound_ns = now;
        break;
    }
    fwrite(data, 2 * io->channels, size, card->record);
    card->written += size;
    return size;
}

static int card_poll_revents(snd_pcm_ioplug_t *io, struct pollfd *pfd, unsigned int count, unsigned short *revents)
{
    card_t *card = io->private_data;
    uint64_t ticks;
    if (read(io->poll_fd, &ticks, sizeof ticks) < 0 && errno != EAGAIN)
        return -errno;
    if (is_gone(card)) {
        *revents = POLLERR | POLLHUP;
        return 0;
    }
    snd_pcm_sframes_t room = snd_pcm_avail_update(io->pcm);
    snd_pcm_uframes_t wanted = io->period_size ? io->period_size : 1;
    *revents = room < 0 ? POLLERR : (snd_pcm_uframes_t)room >= wanted ? POLLOUT : 0;
    (void)pfd, (void)count;
    return 0;
}

static int card_drain(snd_pcm_ioplug_t *io)
{
    card_t *card = io->private_data;
    if (!card->started_ns) /* shorter than what the player wanted to have before it starts */
        card_start(io);
    while (!is_gone(card) && now_ns() < card->started_ns + frames_ns(card, card->written))
        usleep(500);
    return 0;
}

static int card_close(snd_pcm_ioplug_t *io)
{
    card_t *card = io->private_data;
    fprintf(card->log, "close %lld\n", (long long)now_ns());
    fclose(card->record);
    fclose(card->log);
    close(io->poll_fd);
    free(card->gone);
    free(card);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = card_start,
    .stop = card_stop,
    .prepare = card_prepare,
    .pointer = card_pointer,
    .transfer = card_transfer,
    .poll_revents = card_poll_revents,
    .drain = card_drain,
    .close = card_close,
};

static int what_it_takes(snd_pcm_ioplug_t *io, long period)
{
    static const unsigned int access[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
    static const unsigned int format[] = {SND_PCM_FORMAT_S16_LE};
    int err = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 2, access);
    if (err >= 0)
        err = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 1, format);
    if (err >= 0)
        err = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, 1, 2);
    if (err >= 0)
        err = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, 44100, 48000);
    if (err >= 0)
        err = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 2 * period, 65536);
    if (err >= 0)
        err = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, 2, 64);
    return err;
}

SND_PCM_PLUGIN_DEFINE_FUNC(paced)
{
    const char *record = NULL, *log = NULL, *gone = NULL, *hangs = NULL;
    long period = 64;
    snd_config_iterator_t i, next;
    (void)root;
    snd_config_for_each(i, next, conf) {
        snd_config_t *entry = snd_config_iterator_entry(i);
        const char *id;
        if (snd_config_get_id(entry, &id) < 0)
            continue;
        if (!strcmp(id, "record"))
            snd_config_get_string(entry, &record);
        else if (!strcmp(id, "log"))
            snd_config_get_string(entry, &log);
        else if (!strcmp(id, "gone"))
            snd_config_get_string(entry, &gone);
        else if (!strcmp(id, "hangs"))
            snd_config_get_string(entry, &hangs);
        else if (!strcmp(id, "period"))
            snd_config_get_integer(entry, &period);
    }
    if (!record || !log || !gone || !hangs || stream != SND_PCM_STREAM_PLAYBACK)
        return -EINVAL;
    while (access(hangs, F_OK) == 0)
        usleep(10000);
    if (access(gone, F_OK) == 0)
        return -ENODEV;
    card_t *card = calloc(1, sizeof *card);
    if (!card)
        return -ENOMEM;
    card->record = fopen(record, "ab");
    card->log = fopen(log, "a");
    card->gone = strdup(gone);
    card->io.poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (!card->record || !card->log || !card->gone || card->io.poll_fd < 0)
        return -EIO; /* the process that measures ends here: nothing is given back */
    setvbuf(card->record, NULL, _IOFBF, 1 << 16);
    card->recorded = lseek(fileno(card->record), 0, SEEK_END);
    setvbuf(card->log, NULL, _IOLBF, 1 << 12);
    fprintf(card->log, "open %lld\n", (long long)now_ns());
    card->io.version = SND_PCM_IOPLUG_VERSION;
    card->io.name = "a card that plays at the speed of life";
    card->io.flags = SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
    card->io.poll_events = POLLIN;
    card->io.callback = &callbacks;
    card->io.private_data = card;
    int err = snd_pcm_ioplug_create(&card->io, name, stream, mode);
    if (err < 0)
        return err;
    err = what_it_takes(&card->io, period);
    if (err < 0) {
        snd_pcm_ioplug_delete(&card->io);
        return err;
    }
    *pcmp = card->io.pcm;
    return 0;
}
SND_PCM_PLUGIN_SYMBOL(paced);
