/*
 * What one would write first, in C: waits for edges of line 17, and drives line 27 as soon as one has come.
 * The figures compare our table with it.
 */
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int request(int chip, int line, unsigned long long flags)
{
	struct gpio_v2_line_request wanted = { .offsets = { line }, .num_lines = 1, .config.flags = flags };

	if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &wanted) < 0) {
		perror("a line cannot be had");
		return -1;
	}
	return wanted.fd;
}

int main(void)
{
	int chip = open("/dev/gpiochip0", O_RDWR);
	int button = request(chip, 17, GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_BIAS_PULL_UP |
					       GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING);
	int lamp = request(chip, 27, GPIO_V2_LINE_FLAG_OUTPUT);
	struct gpio_v2_line_event event;

	if (button < 0 || lamp < 0)
		return 1;
	puts("ready");
	fflush(stdout);
	while (read(button, &event, sizeof event) == sizeof event) {
		struct gpio_v2_line_values level = { .bits = event.id == GPIO_V2_LINE_EVENT_FALLING_EDGE, .mask = 1 };

		if (ioctl(lamp, GPIO_V2_LINE_SET_VALUES_IOCTL, &level) < 0)
			return 1;
	}
	return 0;
}
